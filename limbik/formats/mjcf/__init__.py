"""MJCF, MuJoCo's XML: models into figures, with the couplings between their joints."""
