"""What tests share: sample figures and problems, clients, real data, comparisons."""
