"""What every learner shares: declared parameters, scikit-learn's protocol, input; and the list."""
