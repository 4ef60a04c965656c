"""Why an answer is what it is: its status, what holds goals back, how it moves with a target."""
