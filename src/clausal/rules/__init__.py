"""Rules as a person reads them."""
