(* The checker as OCaml. Numbers become machine integers of 63 bits. A set of at most 64 fields is two
   of them, with 32 bits each; columns, rows, counts and margins are far smaller, and so are the
   numbers from outside that the checker counts with (`is_margin`). What is compared, added and joined
   bit by bit in Coq is one instruction then. *)

Require Import Checker Words Rules.
From Coq Require Import ZArith Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.

Extract Inlined Constant Z.eqb => "(fun (x : int) (y : int) -> x = y)".
Extract Inlined Constant Z.leb => "(fun (x : int) (y : int) -> x <= y)".
Extract Inlined Constant Z.ltb => "(fun (x : int) (y : int) -> x < y)".
Extract Inlined Constant Z.max => "(fun (x : int) (y : int) -> if x < y then y else x)".
Extract Inlined Constant Z.min => "(fun (x : int) (y : int) -> if x < y then x else y)".
Extract Inlined Constant Z.abs => "(fun (x : int) -> if x < 0 then -x else x)".
Extract Inlined Constant Z.land => "(land)".
Extract Inlined Constant Z.lor => "(lor)".
Extract Inlined Constant Z.ldiff => "(fun (x : int) (y : int) -> x land lnot y)".
Extract Inlined Constant Z.add => "(+)".
Extract Inlined Constant Z.sub => "(-)".
Extract Inlined Constant Z.opp => "(~-)".
Extract Inlined Constant Nat.eqb => "(fun (x : int) (y : int) -> x = y)".
Extract Inlined Constant Nat.leb => "(fun (x : int) (y : int) -> x <= y)".
Extract Inlined Constant Nat.ltb => "(fun (x : int) (y : int) -> x < y)".
Extract Inlined Constant Nat.min => "(fun (x : int) (y : int) -> if x < y then x else y)".
Extract Inlined Constant Nat.odd => "(fun (x : int) -> x land 1 = 1)".
Extract Inlined Constant Nat.div2 => "(fun (x : int) -> x lsr 1)".

Extraction "checker.ml" parts check_part conclude spots_of meaning.
