(* The checker as OCaml. Numbers become machine integers of 63 bits: columns, rows, panels, counts,
   margins and the numbers of steps are far below that. What is compared and added bit by bit in
   Coq is one instruction then. *)

Require Import Checker Rules.
From Coq Require Import ZArith Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.

Extract Inlined Constant Z.eqb => "(fun (x : int) (y : int) -> x = y)".
Extract Inlined Constant Z.leb => "(fun (x : int) (y : int) -> x <= y)".
Extract Inlined Constant Z.max => "(fun (x : int) (y : int) -> if x < y then y else x)".
Extract Inlined Constant Z.abs => "(fun (x : int) -> if x < 0 then -x else x)".
Extract Inlined Constant Nat.eqb => "(fun (x : int) (y : int) -> x = y)".

Extraction "checker.ml" check.
