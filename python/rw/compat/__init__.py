"""Other optimizers' functions, done by rw: replace the import and keep the calls."""
