"""The study that chose the defaults of TsetlinClassifier, and the accuracy of a machine with them."""
