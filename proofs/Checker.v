(* A checker of proofs, and the proof that it is right.

   A step is one of three (docs/proofs.md). The checker keeps what the steps so far have shown by
   their numbers. `where_least` and `where_most` say which step to look at for a position: they come
   from outside, and the theorem holds whatever they say, since positions are compared whole. *)

From Coq Require Import List ZArith Bool Lia FMapPositive.
Require Import Rules.
Import ListNotations.
Open Scope Z_scope.

Inductive step :=
  | Play (p : position)
  | Ge (p : position) (b : Z) (move : nat)
  | Le (p : position) (b : Z).

(* What a step shows of a position: it is worth so much at least, at most. *)
Record fact := Fact { about : position; least : option Z; most : option Z }.

Inductive claim := Margin (v : Z) | Win | Draw | Loss.

Definition true_claim (g : game) (p : position) (c : claim) : Prop :=
  match c with
  | Margin v => value g p = v
  | Win => 0 < value g p
  | Draw => value g p = 0
  | Loss => value g p < 0
  end.

(* --- Positions are compared whole --- *)

Definition field_eqb (a b : field) : bool :=
  (column a =? column b) && (row a =? row b) && (panel a =? panel b).

Definition place_eqb (a b : option field) : bool :=
  match a, b with
  | None, None => true
  | Some x, Some y => field_eqb x y
  | _, _ => false
  end.

Fixpoint cells_eqb (a b : list cell) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => if same x y then cells_eqb a' b' else false
  | _, _ => false
  end.

Definition position_eqb (p q : position) : bool :=
  if cells_eqb (board p) (board q) then
    place_eqb (last p) (last q) && place_eqb (before p) (before q)
    && Nat.eqb (supply p) (supply q)
  else false.

(* --- The checker --- *)

(* What a position is worth if the game lasts no more than `depth` plies; None if it may. *)
Fixpoint played_out (g : game) (depth plies : nat) (p : position) : option Z :=
  match plies, moves g p with
  | S plies', m :: ms =>
      match depth with
      | O => None
      | S depth' =>
          let child m := played_out g depth' plies' (after p m plies') in
          match child m with
          | None => None
          | Some v =>
              fold_left
                (fun best m =>
                   match best, child m with
                   | Some b, Some v => Some (Z.max b (- v))
                   | _, _ => None
                   end)
                ms (Some (- v))
          end
      end
  | _, _ => Some (score g p)
  end.

Section Checking.

Variable g : game.
Variable depth : nat.
Variables where_least where_most : position -> positive.

Definition store := PositiveMap.t fact.

(* Have the steps so far shown that a position is worth b at least? *)
Definition shown_least (s : store) (p : position) (b : Z) : bool :=
  match PositiveMap.find (where_least p) s with
  | Some (Fact q (Some v) _) => (b <=? v) && position_eqb p q
  | _ => false
  end.

Definition shown_most (s : store) (p : position) (b : Z) : bool :=
  match PositiveMap.find (where_most p) s with
  | Some (Fact q _ (Some v)) => (v <=? b) && position_eqb p q
  | _ => false
  end.

Definition check_step (s : store) (st : step) : option fact :=
  match st with
  | Play p =>
      match played_out g depth (supply p) p with
      | Some v => Some (Fact p (Some v) (Some v))
      | None => None
      end
  | Ge p b move =>
      match supply p, find (fun m => Nat.eqb (fst m) move) (moves g p) with
      | S plies, Some m =>
          if shown_most s (after p m plies) (- b) then Some (Fact p (Some b) None) else None
      | _, _ => None
      end
  | Le p b =>
      match supply p, moves g p with
      | S plies, m :: ms =>
          if forallb (fun m => shown_least s (after p m plies) (- b)) (m :: ms)
          then Some (Fact p None (Some b))
          else None
      | _, _ => None
      end
  end.

(* All steps, each with the next number. Either the number of the step that is wrong, or what has
   been shown. *)
Fixpoint check_steps (number : positive) (s : store) (steps : list step) : positive + store :=
  match steps with
  | [] => inr s
  | st :: rest =>
      match check_step s st with
      | None => inl number
      | Some f => check_steps (Pos.succ number) (PositiveMap.add number f s) rest
      end
  end.

Definition shown_claim (s : store) (root : position) (c : claim) : bool :=
  match c with
  | Margin v => shown_least s root v && shown_most s root v
  | Win => shown_least s root 1
  | Draw => shown_least s root 0 && shown_most s root 0
  | Loss => shown_most s root (-1)
  end.

Inductive verdict := Holds | Wrong (number : positive) | Not_shown.

Definition check (root : position) (c : claim) (steps : list step) : verdict :=
  match check_steps 1 (PositiveMap.empty fact) steps with
  | inl number => Wrong number
  | inr s => if shown_claim s root c then Holds else Not_shown
  end.

(* --- It is right --- *)

Definition true_fact (f : fact) : Prop :=
  match least f with Some b => b <= value g (about f) | None => True end
  /\ match most f with Some b => value g (about f) <= b | None => True end.

Definition true_store (s : store) : Prop :=
  forall i f, PositiveMap.find i s = Some f -> true_fact f.

Lemma field_eqb_eq a b : field_eqb a b = true -> a = b.
Proof.
  destruct a, b; unfold field_eqb; cbn.
  rewrite !andb_true_iff, !Z.eqb_eq. intuition congruence.
Qed.

Lemma place_eqb_eq a b : place_eqb a b = true -> a = b.
Proof.
  destruct a, b; cbn; try easy. intro E. now rewrite (field_eqb_eq _ _ E).
Qed.

Lemma cells_eqb_eq a : forall b, cells_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn; try easy.
  destruct (same x y) eqn:E; [|easy].
  intro H. rewrite (IH _ H). destruct x, y; easy.
Qed.

Lemma position_eqb_eq p q : position_eqb p q = true -> p = q.
Proof.
  destruct p as [cs l k n], q as [cs' l' k' n']; unfold position_eqb; cbn.
  destruct (cells_eqb cs cs') eqn:E; [|easy].
  rewrite !andb_true_iff, Nat.eqb_eq. intros [[H1 H2] H3].
  now rewrite (cells_eqb_eq _ _ E), (place_eqb_eq _ _ H1), (place_eqb_eq _ _ H2), H3.
Qed.

Lemma highest_step x y l : highest x (y :: l) = highest (Z.max x y) l.
Proof. reflexivity. Qed.

Lemma highest_first x l : x <= highest x l.
Proof.
  revert x; induction l as [|y l IH]; intro x; [cbn; lia|].
  rewrite highest_step. specialize (IH (Z.max x y)). lia.
Qed.

Lemma highest_in x l y : In y l -> y <= highest x l.
Proof.
  revert x; induction l as [|z l IH]; intros x; [easy|].
  rewrite highest_step. intros [->|H].
  - pose proof (highest_first (Z.max x y) l). lia.
  - now apply IH.
Qed.

Lemma highest_most x l b : x <= b -> (forall y, In y l -> y <= b) -> highest x l <= b.
Proof.
  revert x; induction l as [|y l IH]; intros x Hx H; [exact Hx|].
  rewrite highest_step. apply IH.
  - specialize (H y (or_introl eq_refl)). lia.
  - intros z Hz. apply H. now right.
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

Lemma played_out_right d : forall plies p v, played_out g d plies p = Some v -> worth g plies p = v.
Proof.
  induction d as [|d IH]; intros [|plies] p v; cbn [played_out worth]; try congruence.
  - destruct (moves g p); congruence.
  - destruct (moves g p) as [|m ms]; [congruence|].
    destruct (played_out g d plies (after p m plies)) as [w|] eqn:E; [|easy].
    rewrite (IH _ _ _ E). clear E.
    generalize (- w). clear w. revert v.
    induction ms as [|n ms IHms]; intros v x; cbn [fold_left map]; [now injection 1|].
    rewrite highest_step.
    destruct (played_out g d plies (after p n plies)) as [w|] eqn:E.
    + rewrite (IH _ _ _ E). apply IHms.
    + intro H. exfalso. revert H. clear. induction ms; cbn; [easy|assumption].
Qed.

Lemma shown_least_right s p b : true_store s -> shown_least s p b = true -> b <= value g p.
Proof.
  unfold shown_least. intros T.
  destruct (PositiveMap.find (where_least p) s) as [[q [v|] m]|] eqn:E; try easy.
  rewrite andb_true_iff, Z.leb_le. intros [H P].
  rewrite (position_eqb_eq _ _ P). destruct (T _ _ E) as [L _]. cbn in L. lia.
Qed.

Lemma shown_most_right s p b : true_store s -> shown_most s p b = true -> value g p <= b.
Proof.
  unfold shown_most. intros T.
  destruct (PositiveMap.find (where_most p) s) as [[q l [v|]]|] eqn:E; try easy.
  rewrite andb_true_iff, Z.leb_le. intros [H P].
  rewrite (position_eqb_eq _ _ P). destruct (T _ _ E) as [_ M]. cbn in M. lia.
Qed.

Lemma check_step_right s st f : true_store s -> check_step s st = Some f -> true_fact f.
Proof.
  intros T. destruct st as [p|p b move|p b]; cbn [check_step].
  - destruct (played_out g depth (supply p) p) as [v|] eqn:E; [|easy].
    injection 1 as <-. apply played_out_right in E. split; cbn; unfold value; lia.
  - destruct (supply p) as [|plies] eqn:S; [easy|].
    destruct (find _ (moves g p)) as [m|] eqn:F; [|easy].
    destruct (shown_most s (after p m plies) (- b)) eqn:M; [|easy].
    injection 1 as <-. apply find_some in F. destruct F as [F _].
    apply (shown_most_right _ _ _ T) in M. unfold value in M. cbn [supply after] in M.
    pose proof (worth_least plies p m F).
    split; cbn; [unfold value; rewrite S; lia|exact I].
  - destruct (supply p) as [|plies] eqn:S; [easy|].
    destruct (moves g p) as [|m0 ms] eqn:Ms; [easy|].
    destruct (forallb _ (m0 :: ms)) eqn:A; [|easy].
    injection 1 as <-. rewrite forallb_forall in A. rewrite <- Ms in A.
    split; cbn; [exact I|]. unfold value. rewrite S. apply worth_most.
    + now rewrite Ms.
    + intros m Hm. specialize (A m Hm). apply (shown_least_right _ _ _ T) in A.
      unfold value in A. cbn [supply after] in A. lia.
Qed.

Lemma add_right s i f : true_store s -> true_fact f -> true_store (PositiveMap.add i f s).
Proof.
  intros T F j h. destruct (Pos.eq_dec i j) as [->|N].
  - rewrite PositiveMap.gss. now injection 1 as <-.
  - rewrite PositiveMap.gso by congruence. apply T.
Qed.

Lemma check_steps_right steps :
  forall i s s', true_store s -> check_steps i s steps = inr s' -> true_store s'.
Proof.
  induction steps as [|st rest IH]; intros i s s' T; cbn [check_steps].
  - now injection 1 as <-.
  - destruct (check_step s st) as [f|] eqn:E; [|easy].
    apply IH. apply add_right; [exact T|]. exact (check_step_right _ _ _ T E).
Qed.

(* If the checker accepts, what is claimed of the root is true. *)
Theorem what_holds_is_true root c steps : check root c steps = Holds -> true_claim g root c.
Proof.
  unfold check.
  destruct (check_steps 1 (PositiveMap.empty fact) steps) as [|s] eqn:E; [easy|].
  destruct (shown_claim s root c) eqn:H; [intros _; revert H|easy].
  assert (T : true_store s).
  { apply (check_steps_right _ _ _ _) in E; [exact E|].
    intros i f. now rewrite PositiveMap.gempty. }
  destruct c as [v| | |]; cbn [shown_claim true_claim]; rewrite ?andb_true_iff.
  - intros [L M]. apply (shown_least_right _ _ _ T) in L. apply (shown_most_right _ _ _ T) in M. lia.
  - intro L. apply (shown_least_right _ _ _ T) in L. lia.
  - intros [L M]. apply (shown_least_right _ _ _ T) in L. apply (shown_most_right _ _ _ T) in M. lia.
  - intro M. apply (shown_most_right _ _ _ T) in M. lia.
Qed.

End Checking.

(* This has to print: Closed under the global context. *)
Print Assumptions what_holds_is_true.
