(* A checker of proofs, and the proof that it is right.

   A proof names positions ply by ply from the root on. An entry (docs/file-format.md calls it a
   claim) has bounds of one of them. They follow from entries of the next ply, or the position is
   played out. All entries together are far too many for a list. `read` finds an entry by its ply and
   its number, `seek` the number of a position, both from outside. Entries are checked in parts, in
   any order, by several processes and on several days. What is claimed of the root is true once every
   part has been accepted. *)

From Coq Require Import List ZArith Bool Lia.
Require Import Rules Words.
Import ListNotations.
Open Scope Z_scope.

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

(* --- Entries and parts --- *)

(* A position, what it is worth at least and at most for its side to move, whether it is to be played
   out, and the number of the field that shows the least. *)
Record entry := Entry {
  about : packed; least : Z; most : Z; is_played : bool; chosen : nat }.

(* A number beyond these is no bound: such an entry claims nothing there. Bounds come from outside.
   Among margins, machine integers count as Z does. *)
Definition is_margin (b : Z) : bool := (-1000 <=? b) && (b <=? 1000).

Definition true_entry (g : game) (e : entry) : Prop :=
  (is_margin (least e) = true -> least e <= value g (meaning g (about e)))
  /\ (is_margin (most e) = true -> value g (meaning g (about e)) <= most e).

(* So many entries of a ply, from the first on. *)
Record part := Part { ply : nat; first : nat; many : nat }.

(* A ply's parts, if `left` of its entries are to come: no more than `steps` of them. *)
Fixpoint cut (size k from left steps : nat) : list part :=
  match steps, left with
  | S steps', S _ =>
      let n := Nat.min left (S size) in Part k from n :: cut size k (from + n) (left - n) steps'
  | _, _ => []
  end.

(* All parts, from ply k on. *)
Fixpoint parts (size k : nat) (counts : list nat) : list part :=
  match counts with
  | [] => []
  | n :: counts' => cut size k 0 n n ++ parts size (S k) counts'
  end.

Section Checking.

Variable g : game.
Variable t : tables.
Hypothesis T : t = tables_of g.

(* The number of entries of each ply. *)
Variable counts : list nat.
Variable read : nat -> nat -> entry.
Variable seek : nat -> packed -> option nat.

Definition count (k : nat) : nat := nth k counts O.

(* --- The checker --- *)

(* The entry of a position among the n of ply k. `seek` may say what it likes. *)
Definition found (k n : nat) (q : packed) : option entry :=
  match seek k q with
  | Some i =>
      if (i <? n)%nat then
        let e := read k i in if packed_eqb q (about e) then Some e else None
      else None
  | None => None
  end.

Definition has_least (k n : nat) (q : packed) (b : Z) : bool :=
  match found k n q with Some e => is_margin (least e) && (b <=? least e) | None => false end.

Definition has_most (k n : nat) (q : packed) (b : Z) : bool :=
  match found k n q with Some e => is_margin (most e) && (most e <=? b) | None => false end.

(* Does the most follow from the n entries of the next ply? After every move the other side has the
   opposite at least. *)
Definition most_follows (k n : nat) (e : entry) (moves : list spot) : bool :=
  match left (about e), moves with
  | S plies, _ :: _ =>
      forallb (fun s => has_least (S k) n (moved (about e) s plies) (- most e)) moves
  | _, _ => false
  end.

(* Does the least follow? After the chosen move the other side has the opposite at most. *)
Definition least_follows (k n : nat) (e : entry) (moves : list spot) : bool :=
  match left (about e), find (fun s => Nat.eqb (number s) (chosen e)) moves with
  | S plies, Some s => has_most (S k) n (moved (about e) s plies) (- least e)
  | _, _ => false
  end.

Definition played_out (q : packed) (a b : Z) : Z := best g t (left q) q (points_of t q) a b.

(* Does an entry hold when its position is played out, as far as its bounds need? *)
Definition holds (e : entry) : bool :=
  let (l, m) := (is_margin (least e), is_margin (most e)) in
  if l || m then
    let a := if l then least e - 1 else most e in
    let b := if m then most e + 1 else least e in
    (a <=? b)
    && (let v := played_out (about e) a b in
        (if l then least e <=? v else true) && (if m then v <=? most e else true))
  else true.

Definition follows (k n : nat) (e : entry) : bool :=
  if is_played e then holds e
  else
    let moves := open t (about e) in
    (if is_margin (most e) then most_follows k n e moves else true)
    && (if is_margin (least e) then least_follows k n e moves else true).

(* The first of so many entries from i on that does not follow. *)
Fixpoint wrong (k n i entries : nat) : option nat :=
  match entries with
  | O => None
  | S entries' => if follows k n (read k i) then wrong k n (S i) entries' else Some i
  end.

(* Does the entry of the root claim this? *)
Definition claims (root : packed) (c : claim) : bool :=
  match c with
  | Margin v => has_least O (count O) root v && has_most O (count O) root v
  | Win => has_least O (count O) root 1
  | Draw => has_least O (count O) root 0 && has_most O (count O) root 0
  | Loss => has_most O (count O) root (-1)
  end.

(* --- It is right --- *)

Lemma played_out_right q a b :
  a <= b -> played_out q a b = Z.max a (Z.min b (value g (meaning g q))).
Proof. intro L. unfold played_out. now rewrite T, points_of_right, best_right. Qed.

Lemma holds_right e : holds e = true -> true_entry g e.
Proof.
  unfold holds, true_entry. destruct (is_margin (least e)), (is_margin (most e)); cbn [orb];
    intro H; split; intro M; try easy;
    apply andb_true_iff in H; destruct H as [A H]; apply Z.leb_le in A;
    rewrite played_out_right in H by exact A; apply andb_true_iff in H; rewrite !Z.leb_le in H; lia.
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

Definition true_ply (k : nat) : Prop := forall i, (i < count k)%nat -> true_entry g (read k i).

Lemma found_right k q e : true_ply k -> found k (count k) q = Some e ->
  true_entry g e /\ meaning g q = meaning g (about e).
Proof.
  unfold found. intros H F. destruct (seek k q) as [i|]; [|easy].
  destruct (Nat.ltb_spec i (count k)) as [L|]; [|easy].
  destruct (packed_eqb q (about (read k i))) eqn:E; [|easy]. injection F as <-.
  split; [exact (H i L)|exact (packed_eqb_eq g _ _ E)].
Qed.

Lemma has_least_right k q b :
  true_ply k -> has_least k (count k) q b = true -> b <= value g (meaning g q).
Proof.
  unfold has_least. intros H F. destruct (found k (count k) q) as [e|] eqn:E; [|easy].
  destruct (found_right k q e H E) as [[L _] ->]. apply andb_true_iff in F. destruct F as [M F].
  apply Z.leb_le in F. specialize (L M). lia.
Qed.

Lemma has_most_right k q b :
  true_ply k -> has_most k (count k) q b = true -> value g (meaning g q) <= b.
Proof.
  unfold has_most. intros H F. destruct (found k (count k) q) as [e|] eqn:E; [|easy].
  destruct (found_right k q e H E) as [[_ L] ->]. apply andb_true_iff in F. destruct F as [M F].
  apply Z.leb_le in F. specialize (L M). lia.
Qed.

Lemma least_follows_right k e : true_ply (S k) ->
  least_follows k (count (S k)) e (open t (about e)) = true -> least e <= value g (meaning g (about e)).
Proof.
  set (q := about e). unfold least_follows, value. fold q.
  change (supply (meaning g q)) with (left q). intro H.
  destruct (left q) as [|plies]; [easy|]. destruct (find _ (open t q)) as [s|] eqn:F; [|easy].
  intro M. apply has_most_right in M; [|exact H]. unfold value in M.
  cbn [meaning supply moved left] in M.
  apply find_some in F. destruct F as [F _]. rewrite T in F.
  pose proof (worth_least plies (meaning g q) (move_of s)) as W.
  rewrite moves_open, after_moved in W by exact F. specialize (W (in_map _ _ _ F)).
  fold (meaning g (moved q s plies)) in M. lia.
Qed.

Lemma most_follows_right k e : true_ply (S k) ->
  most_follows k (count (S k)) e (open t (about e)) = true -> value g (meaning g (about e)) <= most e.
Proof.
  set (q := about e). unfold most_follows, value. fold q.
  change (supply (meaning g q)) with (left q). intro H.
  destruct (left q) as [|plies]; [easy|]. destruct (open t q) as [|s rest] eqn:O; [easy|].
  rewrite forallb_forall. intro A. rewrite T in O. apply worth_most; rewrite moves_open, O; [easy|].
  intros x I. apply in_map_iff in I. destruct I as [r [<- I]].
  specialize (A r I). apply has_least_right in A; [|exact H].
  rewrite after_moved by now rewrite O.
  unfold value in A. change (supply (meaning g (moved q r plies))) with plies in A. lia.
Qed.

Lemma follows_right k e : true_ply (S k) -> follows k (count (S k)) e = true -> true_entry g e.
Proof.
  unfold follows. intros H F. destruct (is_played e); [exact (holds_right e F)|].
  apply andb_true_iff in F. destruct F as [F L]. split; intro M; rewrite M in *.
  - exact (least_follows_right k e H L).
  - exact (most_follows_right k e H F).
Qed.

Lemma wrong_none k n entries : forall i, wrong k n i entries = None ->
  forall j, (i <= j < i + entries)%nat -> follows k n (read k j) = true.
Proof.
  induction entries as [|entries IH]; intros i W j J; [lia|]. cbn [wrong] in W.
  destruct (follows k n (read k i)) eqn:F; [|easy].
  destruct (Nat.eq_dec j i) as [->|]; [exact F|]. apply (IH (S i) W). lia.
Qed.

(* --- The parts are all there is --- *)

Lemma cut_all size k steps : forall from left i, (left <= steps)%nat ->
  (from <= i < from + left)%nat ->
  exists p, In p (cut size k from left steps) /\ ply p = k /\ (first p <= i < first p + many p)%nat.
Proof.
  induction steps as [|steps IH]; intros from left i L I; [lia|].
  destruct left as [|left]; [lia|]. cbn [cut].
  set (n := Nat.min (S left) (S size)). destruct (Nat.lt_ge_cases i (from + n)) as [J|J].
  - exists (Part k from n). cbn [ply first many]. split; [now left|lia].
  - destruct (IH (from + n)%nat (S left - n)%nat i) as [p [P Q]]; [lia..|].
    exists p. split; [now right|exact Q].
Qed.

Lemma parts_all size cs : forall k j i, (i < nth j cs O)%nat ->
  exists p, In p (parts size k cs) /\ ply p = (k + j)%nat /\ (first p <= i < first p + many p)%nat.
Proof.
  induction cs as [|n cs IH]; intros k j i I; [destruct j; cbn in I; lia|]. cbn [parts].
  destruct j as [|j]; cbn [nth] in I.
  - destruct (cut_all size k n 0 n i) as [p [P [Q R]]]; [lia..|].
    exists p. rewrite in_app_iff. split; [now left|lia].
  - destruct (IH (S k) j i I) as [p [P [Q R]]].
    exists p. rewrite in_app_iff. split; [now right|lia].
Qed.

Lemma all_true size :
  (forall p, In p (parts size 0 counts) ->
    wrong (ply p) (count (S (ply p))) (first p) (many p) = None) ->
  forall m k, (length counts <= k + m)%nat -> true_ply k.
Proof.
  intros W. induction m as [|m IH]; intros k L i I.
  - unfold count in I. rewrite nth_overflow in I; lia.
  - destruct (parts_all size counts 0 k i I) as [p [P [Q R]]]. specialize (W p P).
    cbn in Q. rewrite Q in W. apply (follows_right k); [apply IH; lia|].
    exact (wrong_none _ _ _ _ W i R).
Qed.

Lemma claims_right root c :
  true_ply 0 -> claims root c = true -> true_claim g (meaning g root) c.
Proof.
  intro H. destruct c; cbn [claims true_claim]; rewrite ?andb_true_iff.
  - intros [L M]. apply has_least_right in L; [|easy]. apply has_most_right in M; [|easy]. lia.
  - intro L. apply has_least_right in L; [|easy]. lia.
  - intros [L M]. apply has_least_right in L; [|easy]. apply has_most_right in M; [|easy]. lia.
  - intro M. apply has_most_right in M; [|easy]. lia.
Qed.

End Checking.

(* The first entry of a part that does not follow; None accepts the part. The tables of a board are
   made once for all its parts. *)
Definition check_part (g : game) : list nat -> _ -> _ -> part -> option nat :=
  let t := tables_of g in
  fun counts read seek p =>
    wrong g t read seek (ply p) (nth (S (ply p)) counts O) (first p) (many p).

(* Is the claim shown, if the parts that are noted have been accepted? The fields of a set are
   numbered up to 63. *)
Definition conclude (g : game) counts read seek size (is_noted : part -> bool) root c : bool :=
  (length (fields g) <=? 64)%nat && forallb is_noted (parts size 0 counts)
  && claims counts read seek root c.

(* If the checker has accepted every part that is noted, and concludes, the claim is true. *)
Theorem what_holds_is_true g counts read seek size is_noted root c :
  (forall p, In p (parts size 0 counts) -> is_noted p = true ->
    check_part g counts read seek p = None) ->
  conclude g counts read seek size is_noted root c = true ->
  true_claim g (meaning g root) c.
Proof.
  unfold conclude. rewrite !andb_true_iff, forallb_forall. intros N [[_ P] C].
  apply (claims_right g counts read seek root c); [|exact C].
  apply (all_true g _ eq_refl counts read seek size) with (m := length counts); [|lia].
  intros p I. exact (N p I (P p I)).
Qed.

(* This has to print: Closed under the global context. *)
Print Assumptions what_holds_is_true.
