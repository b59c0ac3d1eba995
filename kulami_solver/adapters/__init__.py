"""The games spoken to other programs: UGI, the Hagen server, OpenSpiel and PettingZoo."""
