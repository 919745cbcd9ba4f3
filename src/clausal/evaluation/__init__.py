"""Models on tables: measures, monitoring, fairness, comparison. Not here: pages about them (html_report)."""
