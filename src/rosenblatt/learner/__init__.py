"""What the scikit-learn estimators share: arguments, input, progress, and how they show."""
