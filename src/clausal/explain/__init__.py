"""Why a model decided as it did: fired rules, near misses, counterfactuals, effects of features."""
