"""Goals that need the masses of a figure: its centre of mass, its balance, what it stands on."""
