"""A trial of other forms of clauses: fuzzy patterns and learned intervals."""
