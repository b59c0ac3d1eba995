"""The games for other programs: UGI, the Hagen server, OpenSpiel and PettingZoo."""
