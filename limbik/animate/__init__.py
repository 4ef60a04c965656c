"""Figures in time: following targets frame by frame."""
