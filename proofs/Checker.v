(* A checker of proofs, and the proof that it is right.

   A step is one of three (docs/proofs.md). What a step shows carries the proof that it is true, so
   `memory`, which reads the steps and keeps what they have shown, comes from outside: the theorem
   holds whatever its functions do. *)

From Coq Require Import List ZArith Bool Lia.
Require Import Rules Words.
Import ListNotations.
Open Scope Z_scope.

Inductive step :=
  | Play (q : packed)
  | Ge (q : packed) (b : Z) (move : nat)
  | Le (q : packed) (b : Z).

Inductive claim := Margin (v : Z) | Win | Draw | Loss.

Definition true_claim (g : game) (p : position) (c : claim) : Prop :=
  match c with
  | Margin v => value g p = v
  | Win => 0 < value g p
  | Draw => value g p = 0
  | Loss => value g p < 0
  end.

(* --- Positions are compared whole --- *)

Definition place_eqb (a b : option spot) : bool :=
  match a, b with
  | None, None => true
  | Some x, Some y => field_eqb (here x) (here y)
  | _, _ => false
  end.

Definition packed_eqb (p q : packed) : bool :=
  (taken_low p =? taken_low q) && (taken_high p =? taken_high q)
  && (mine_low p =? mine_low q) && (mine_high p =? mine_high q)
  && place_eqb (newest p) (newest q) && place_eqb (old p) (old q) && Nat.eqb (left p) (left q).

Lemma place_eqb_eq a b : place_eqb a b = true -> option_map here a = option_map here b.
Proof.
  destruct a, b; cbn; try easy. intro E. now rewrite (field_eqb_eq _ _ E).
Qed.

Lemma packed_eqb_eq g p q : packed_eqb p q = true -> meaning g p = meaning g q.
Proof.
  destruct p, q. unfold packed_eqb, meaning, cell_of, is_taken, is_mine; cbn.
  rewrite !andb_true_iff, !Z.eqb_eq, Nat.eqb_eq. intros [[[[[[-> ->] ->] ->] N] O] ->].
  now rewrite (place_eqb_eq _ _ N), (place_eqb_eq _ _ O).
Qed.

(* --- What is shown --- *)

(* A position is worth so much at least; at most; or is short enough to be played out. *)
Inductive kind := Least | Most | Short.

Definition true_bound (g : game) (q : packed) (k : kind) (b : Z) : Prop :=
  match k with
  | Least => b <= value g (meaning g q)
  | Most => value g (meaning g q) <= b
  | Short => True
  end.

Record shown (g : game) := Shown {
  about : packed; what : kind; bound : Z; right : true_bound g about what bound }.
Arguments Shown {g}.
Arguments about {g}.
Arguments what {g}.
Arguments bound {g}.

Section Checking.

Variable g : game.
Variable t : tables.
Hypothesis T : t = tables_of g.
Variable depth : nat.

Variable memory : Type.
Variable next : memory -> option (step * memory).
Variable recall : memory -> packed -> kind -> option (shown g).
Variable note : memory -> shown g -> memory.

(* --- The checker --- *)

(* Numbers of steps and claims come from outside. Among these, machine integers count as Z does. *)
Definition is_margin (b : Z) : bool := (-1000 <=? b) && (b <=? 1000).

Definition played_out (q : packed) (a b : Z) : Z := best g t (left q) q (points_of t q) a b.

(* Have the steps so far shown that a position is worth b at least? If it is short, it is played out
   as far as that matters. *)
Definition shown_least (m : memory) (q : packed) (b : Z) : bool :=
  match recall m q Least with
  | Some f =>
      is_margin b && packed_eqb q (about f)
      && match what f with
         | Least => b <=? bound f
         | Most => false
         | Short => b <=? played_out q (b - 1) b
         end
  | None => false
  end.

Definition shown_most (m : memory) (q : packed) (b : Z) : bool :=
  match recall m q Most with
  | Some f =>
      is_margin b && packed_eqb q (about f)
      && match what f with
         | Least => false
         | Most => bound f <=? b
         | Short => played_out q b (b + 1) <=? b
         end
  | None => false
  end.

Definition ge_follows (m : memory) (q : packed) (b : Z) (move : nat) : bool :=
  match left q, find (fun s => Nat.eqb (number s) move) (open t q) with
  | S plies, Some s => shown_most m (moved q s plies) (- b)
  | _, _ => false
  end.

Definition le_follows (m : memory) (q : packed) (b : Z) : bool :=
  match left q, open t q with
  | S plies, s :: rest => forallb (fun s => shown_least m (moved q s plies) (- b)) (s :: rest)
  | _, _ => false
  end.

(* --- It is right --- *)

Lemma played_out_right q a b :
  a <= b -> played_out q a b = Z.max a (Z.min b (value g (meaning g q))).
Proof. intro L. unfold played_out. now rewrite T, points_of_right, best_right. Qed.

Lemma shown_least_right m q b : shown_least m q b = true -> b <= value g (meaning g q).
Proof.
  unfold shown_least. destruct (recall m q Least) as [[p k v R]|]; [cbn [about what bound]|easy].
  rewrite !andb_true_iff. intros [[_ E] F].
  apply (packed_eqb_eq g) in E.
  destruct k; cbn [true_bound] in R; try rewrite Z.leb_le in F; [rewrite E; lia|easy|].
  rewrite played_out_right in F; lia.
Qed.

Lemma shown_most_right m q b : shown_most m q b = true -> value g (meaning g q) <= b.
Proof.
  unfold shown_most. destruct (recall m q Most) as [[p k v R]|]; [cbn [about what bound]|easy].
  rewrite !andb_true_iff. intros [[_ E] F].
  apply (packed_eqb_eq g) in E.
  destruct k; cbn [true_bound] in R; try rewrite Z.leb_le in F; [easy|rewrite E; lia|].
  rewrite played_out_right in F; lia.
Qed.

(* A position is worth what its best move is worth. *)
Lemma worth_least plies p m :
  In m (moves g p) -> - worth g plies (after p m plies) <= worth g (S plies) p.
Proof.
  intro H. cbn [worth]. destruct (moves g p) as [|m0 ms]; [easy|].
  destruct H as [->|H].
  - apply highest_first.
  - apply highest_in. now apply (in_map (fun m => - worth g plies (after p m plies))).
Qed.

Lemma worth_most plies p b :
  moves g p <> [] ->
  (forall m, In m (moves g p) -> - worth g plies (after p m plies) <= b) ->
  worth g (S plies) p <= b.
Proof.
  intros E H. cbn [worth]. destruct (moves g p) as [|m0 ms]; [easy|].
  apply highest_most.
  - apply H. now left.
  - intros y Hy. apply in_map_iff in Hy. destruct Hy as [m [<- Hm]]. apply H. now right.
Qed.

Lemma ge_follows_right m q b move : ge_follows m q b move = true -> true_bound g q Least b.
Proof.
  unfold ge_follows, true_bound, value. change (supply (meaning g q)) with (left q).
  destruct (left q) as [|plies]; [easy|]. destruct (find _ (open t q)) as [s|] eqn:F; [|easy].
  intro M. apply shown_most_right in M. unfold value in M. cbn [meaning supply moved left] in M.
  apply find_some in F. destruct F as [F _]. rewrite T in F.
  pose proof (worth_least plies (meaning g q) (move_of s)) as W.
  rewrite moves_open, after_moved in W by exact F. specialize (W (in_map _ _ _ F)).
  fold (meaning g (moved q s plies)) in M. lia.
Qed.

Lemma le_follows_right m q b : le_follows m q b = true -> true_bound g q Most b.
Proof.
  unfold le_follows, true_bound, value. change (supply (meaning g q)) with (left q).
  destruct (left q) as [|plies]; [easy|]. destruct (open t q) as [|s rest] eqn:O; [easy|].
  rewrite forallb_forall. intro A. rewrite T in O. apply worth_most; rewrite moves_open, O; [easy|].
  intros x H. apply in_map_iff in H. destruct H as [r [<- H]].
  specialize (A r H). apply shown_least_right in A. rewrite after_moved by now rewrite O.
  unfold value in A. change (supply (meaning g (moved q r plies))) with plies in A. lia.
Qed.

(* --- All steps --- *)

Definition proved (q : packed) (k : kind) (b : Z) (follows : bool)
    (R : follows = true -> true_bound g q k b) : option (shown g) :=
  (if follows as f return ((f = true -> true_bound g q k b) -> option (shown g))
   then fun R => Some (Shown q k b (R eq_refl))
   else fun _ => None) R.

Definition check_step (m : memory) (st : step) : option (shown g) :=
  match st with
  | Play q => proved q Short 0 (is_short t depth q) (fun _ => I)
  | Ge q b move => proved q Least b (ge_follows m q b move) (ge_follows_right m q b move)
  | Le q b => proved q Most b (le_follows m q b) (le_follows_right m q b)
  end.

(* All steps, if each of them follows; there are no more than `count`. *)
Fixpoint check_steps (count : nat) (m : memory) : option memory :=
  match count with
  | O => None
  | S count' =>
      match next m with
      | None => Some m
      | Some (st, m') =>
          match check_step m' st with
          | None => None
          | Some f => check_steps count' (note m' f)
          end
      end
  end.

Definition shown_claim (m : memory) (root : packed) (c : claim) : bool :=
  match c with
  | Margin v => shown_least m root v && shown_most m root v
  | Win => shown_least m root 1
  | Draw => shown_least m root 0 && shown_most m root 0
  | Loss => shown_most m root (-1)
  end.

Lemma shown_claim_right m root c :
  shown_claim m root c = true -> true_claim g (meaning g root) c.
Proof.
  destruct c; cbn [shown_claim true_claim]; rewrite ?andb_true_iff.
  - intros [L M]. apply shown_least_right in L. apply shown_most_right in M. lia.
  - intro L. apply shown_least_right in L. lia.
  - intros [L M]. apply shown_least_right in L. apply shown_most_right in M. lia.
  - intro M. apply shown_most_right in M. lia.
Qed.

End Checking.

Inductive verdict := Holds | Wrong | Not_shown.

(* The fields of a set are numbered up to 63. *)
Definition check (g : game) depth memory next recall note count m root c : verdict :=
  if (length (fields g) <=? 64)%nat then
    let t := tables_of g in
    match check_steps g t eq_refl depth memory next recall note count m with
    | None => Wrong
    | Some m' => if shown_claim g t memory recall m' root c then Holds else Not_shown
    end
  else Wrong.

(* If the checker accepts, what is claimed of the root is true. *)
Theorem what_holds_is_true g depth memory next recall note count m root c :
  check g depth memory next recall note count m root c = Holds ->
  true_claim g (meaning g root) c.
Proof.
  unfold check. destruct (_ <=? _)%nat; [|easy].
  destruct (check_steps _ _ _ _ _ _ _ _ _ _) as [m'|]; [|easy].
  destruct (shown_claim _ _ _ _ _ _ _) eqn:H; [|easy]. intros _.
  exact (shown_claim_right _ _ eq_refl _ _ _ _ _ H).
Qed.

(* This has to print: Closed under the global context. *)
Print Assumptions what_holds_is_true.
