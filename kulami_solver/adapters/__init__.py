"""The games for other programs: UGI, Hagen, OpenSpiel, PettingZoo, batches and labels."""
