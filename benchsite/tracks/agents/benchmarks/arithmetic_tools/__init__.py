"""Arithmetic with a calculator: word problems whose answer is one number."""
