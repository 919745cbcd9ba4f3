"""Pictures of models in the style of scikit-learn's displays; matplotlib is imported when one is drawn."""
