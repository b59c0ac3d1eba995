"""Boards as text, SVG and PNG: any grid."""
