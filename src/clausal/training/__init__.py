"""The epochs of a fit: order, scores, stopping, callbacks."""
