(* Positions in machine words, and the proof that they are played and counted by the rules.

   `meaning` says which position of Rules.v the words are. The fields in line with a field, those
   beside it, and the rows that have room for a chain, are found once for a board. The points of the
   panels are kept from move to move: a move changes those of its own panel only. *)

From Coq Require Import List ZArith Bool Lia.
Require Import Rules.
Import ListNotations.
Open Scope Z_scope.

(* --- Sets of fields --- *)

(* The fields 0 to 31, and those from 32 on. *)
Record set := Words { low : Z; high : Z }.

Definition one (n : nat) : set :=
  if (n <? 32)%nat then Words (2 ^ Z.of_nat n) 0 else Words 0 (2 ^ (Z.of_nat n - 32)).

(* Does a set have a field in common with the set of these two words? *)
Definition meets (a : set) (l h : Z) : bool :=
  negb (Z.lor (Z.land (low a) l) (Z.land (high a) h) =? 0).

(* --- Positions --- *)

(* A field with what the checker needs of it: its number, its set, its panel's sets and size. *)
Record spot := Spot { number : nat; here : field; bit : set; group : list set; size : Z }.

(* The marbles of both sides, in two words; those of the side to move, among others that do not
   matter, in two more. *)
Record packed := Packed {
  taken_low : Z; taken_high : Z; mine_low : Z; mine_high : Z;
  newest : option spot; old : option spot; left : nat }.

Definition is_taken (q : packed) (b : set) : bool := meets b (taken_low q) (taken_high q).
Definition is_mine (q : packed) (b : set) : bool := meets b (mine_low q) (mine_high q).

Definition cell_of (q : packed) (b : set) : cell :=
  if is_taken q b then if is_mine q b then Own else Other else Empty.

(* The position that the words stand for. *)
Definition meaning (g : game) (q : packed) : position :=
  Position (map (fun n => cell_of q (one n)) (seq 0 (length (fields g))))
    (option_map here (newest q)) (option_map here (old q)) (left q).

Definition moved (q : packed) (s : spot) (plies : nat) : packed :=
  Packed (Z.lor (low (bit s)) (taken_low q)) (Z.lor (high (bit s)) (taken_high q))
    (Z.ldiff (taken_low q) (mine_low q)) (Z.ldiff (taken_high q) (mine_high q))
    (Some s) (newest q) plies.

(* --- What is made once for a board --- *)

Definition numbered (g : game) : list (nat * field) :=
  combine (seq 0 (length (fields g))) (fields g).

Definition group_of (g : game) (k : Z) : list set :=
  map (fun nf => one (fst nf)) (filter (fun nf => panel (snd nf) =? k) (numbered g)).

Definition spot_of (g : game) (nf : nat * field) : spot :=
  let (n, f) := nf in Spot n f (one n) (group_of g (panel f)) (count_on (panel f) (fields g)).

(* The fields in line with a field. *)
Definition reached (all : list spot) (f : field) : list spot :=
  filter (fun s => in_line (here s) f) all.

(* Those beside it. *)
Definition adjoining (all : list spot) (f : field) : list spot :=
  filter (fun s => beside f (here s)) all.

(* A tree with an entry for each number: its lowest bit says which half of the tree it is in. *)
Inductive tree :=
  | Entry (found : option (field * list spot))
  | Halves (even odd : tree).

Fixpoint entry (r : tree) (n : nat) : option (field * list spot) :=
  match r with
  | Entry found => found
  | Halves even odd => if Nat.odd n then entry odd (Nat.div2 n) else entry even (Nat.div2 n)
  end.

Fixpoint tree_of (all : list spot) (linked : field -> list spot) (levels step n : nat) : tree :=
  match levels with
  | O => Entry (option_map (fun s => (here s, linked (here s))) (nth_error all n))
  | S levels' =>
      Halves (tree_of all linked levels' (step + step) n)
        (tree_of all linked levels' (step + step) (step + n))
  end.

(* A field in one of the directions of a chain: its set, those of the field behind it, and those of
   the fields from it on as far as there are any. There is one field at a place, or none. *)
Record ray := Ray { start : set; behind : list set; onward : list (list set) }.

Definition sets_at (all : list spot) (x y : Z) : list set :=
  map bit (filter (fun s => (column (here s) =? x) && (row (here s) =? y)) all).

Fixpoint sets_from (all : list spot) (steps : nat) (x y dx dy : Z) : list (list set) :=
  match steps with
  | O => []
  | S steps' =>
      match sets_at all x y with
      | [] => []
      | sets => sets :: sets_from all steps' (x + dx) (y + dy) dx dy
      end
  end.

Definition ray_of (all : list spot) (d : Z * Z) (s : spot) : ray :=
  let (x, y) := (column (here s), row (here s)) in
  let (dx, dy) := d in
  Ray (bit s) (sets_at all (x - dx) (y - dy)) (sets_from all (length all) x y dx dy).

(* Is there room for a chain? *)
Definition is_long (r : ray) : bool :=
  match onward r with _ :: _ :: _ :: _ :: _ :: _ => true | _ => false end.

Record tables := Tables {
  spots : list spot; reach : tree; sides : tree; groups : list (list set * Z); rays : list (list ray) }.

Definition spots_of (g : game) : list spot := map (spot_of g) (numbered g).

Definition tables_of (g : game) : tables :=
  let all := spots_of g in
  Tables all (tree_of all (reached all) 6 1 0) (tree_of all (adjoining all) 6 1 0)
    (map (fun k => (group_of g k, count_on k (fields g))) (panels_of (fields g) []))
    (map (fun d => filter is_long (map (ray_of all d) all)) [(1, 0); (0, 1); (1, 1); (-1, 1)]).

(* --- Playing --- *)

Definition field_eqb (a b : field) : bool :=
  (column a =? column b) && (row a =? row b) && (panel a =? panel b).

Section Playing.

Variable g : game.
Variable t : tables.

Definition look_up (r : tree) (linked : field -> list spot) (s : spot) : list spot :=
  match entry r (number s) with
  | Some (f, found) => if field_eqb f (here s) then found else linked (here s)
  | None => linked (here s)
  end.

Definition in_line_with : spot -> list spot := look_up (reach t) (reached (spots t)).
Definition next_to : spot -> list spot := look_up (sides t) (adjoining (spots t)).

(* The fields outside a panel and outside a set of two words. *)
Fixpoint free (barred l h : Z) (from : list spot) : list spot :=
  match from with
  | [] => []
  | s :: rest =>
      if meets (bit s) l h then free barred l h rest
      else if panel (here s) =? barred then free barred l h rest
      else s :: free barred l h rest
  end.

Definition open (q : packed) : list spot :=
  let from := match newest q with None => spots t | Some s => in_line_with s end in
  match old q with
  | None => filter (fun s => negb (is_taken q (bit s))) from
  | Some o => free (panel (here o)) (taken_low q) (taken_high q) from
  end.

(* How many more marbles the side to move has on a panel. *)
Fixpoint lead (q : packed) (panel_sets : list set) : Z :=
  match panel_sets with
  | [] => 0
  | b :: rest =>
      match cell_of q b with
      | Empty => lead q rest
      | Own => lead q rest + 1
      | Other => lead q rest - 1
      end
  end.

(* The points of all panels, and what one more marble adds to them. *)
Definition points_of (q : packed) : Z :=
  fold_left
    (fun points (one_panel : list set * Z) =>
       let (sets, size) := one_panel in
       let l := lead q sets in
       if 0 <? l then points + size else if l <? 0 then points - size else points)
    (groups t) 0.

Definition gain (q : packed) (s : spot) : Z :=
  let l := lead q (group s) in if (l =? 0) || (l =? -1) then size s else 0.

Definition lying (q : packed) (who : cell) : list field :=
  map here (filter (fun s => same (cell_of q (bit s)) who) (spots t)).

(* The points for the chains of one side, which has so many marbles. *)
Fixpoint run_on (holds : set -> bool) (steps : nat) (places : list (list set)) : Z :=
  match steps, places with
  | S steps', sets :: rest => if existsb holds sets then 1 + run_on holds steps' rest else 0
  | _, _ => 0
  end.

Definition chains (q : packed) (who : cell) : Z :=
  let holds b := same (cell_of q b) who in
  let count := length (lying q who) in
  let add points r :=
    if holds (start r) then
      if existsb holds (behind r) then points
      else
        let run := run_on holds count (onward r) in
        if 5 <=? run then points + run else points
    else points in
  fold_left (fun points one_way => fold_left add one_way points) (rays t) 0.

(* The areas of a set: as `spread` and `largest` do it, with the rest as a set. *)
Definition inside (r : set) (s : spot) : bool := meets (bit s) (low r) (high r).

Fixpoint without (found : list spot) (r : set) : set :=
  match found with
  | [] => r
  | s :: found' =>
      without found' (Words (Z.ldiff (low r) (low (bit s))) (Z.ldiff (high r) (high (bit s))))
  end.

Fixpoint flood (steps : nat) (edge : list spot) (r : set) (size : Z) : Z * set :=
  match steps, edge with
  | S steps', s :: edge' =>
      let near := filter (inside r) (next_to s) in
      flood steps' (near ++ edge') (without near r) (size + 1)
  | _, _ => (size, r)
  end.

Fixpoint islands (steps : nat) (from : list spot) (r : set) (most : Z) : Z :=
  match from with
  | [] => most
  | s :: rest =>
      if inside r s then
        let (size, r') := flood steps [s] (without [s] r) 0 in
        islands steps rest r' (Z.max most size)
      else islands steps rest r most
  end.

Definition area (r : set) : Z := islands (length (spots t)) (spots t) r 0.

Definition own_set (q : packed) : set :=
  Words (Z.land (taken_low q) (mine_low q)) (Z.land (taken_high q) (mine_high q)).

Definition other_set (q : packed) : set :=
  Words (Z.ldiff (taken_low q) (mine_low q)) (Z.ldiff (taken_high q) (mine_high q)).

Definition final (q : packed) (points : Z) : Z :=
  points
  + (if areas_count g then area (own_set q) - area (other_set q) else 0)
  + (if chains_count g then chains q Own - chains q Other else 0).

Definition panels_alone : bool := negb (areas_count g || chains_count g).

Definition within (a b v : Z) : Z := Z.max a (Z.min b v).

(* The best of the moves, as far as it is between a and b; moves that cannot matter are left out. *)
Definition best_of (worth_of : spot -> Z -> Z) (b : Z) : list spot -> Z -> Z :=
  fix from (moves : list spot) (a : Z) : Z :=
    match moves with
    | [] => a
    | s :: rest => let v := worth_of s a in if b <=? v then b else from rest v
    end.

(* What a position is worth, as far as it is between a and b. *)
Fixpoint best (plies : nat) (q : packed) (points a b : Z) : Z :=
  match plies, open q with
  | S plies', s :: rest =>
      if (Nat.eqb plies' 0) && panels_alone then
        best_of (fun s a => within a b (points + gain q s)) b (s :: rest) a
      else
        best_of (fun s a => - best plies' (moved q s plies') (- (points + gain q s)) (- b) (- a)) b
          (s :: rest) a
  | _, _ => within a b (final q points)
  end.

End Playing.

(* --- Sets --- *)

Lemma land_power k x : 0 <= k -> (Z.land (2 ^ k) x =? 0) = negb (Z.testbit x k).
Proof.
  intro K. destruct (Z.testbit x k) eqn:E; cbn [negb].
  - apply Z.eqb_neq. intro H. apply (f_equal (fun y => Z.testbit y k)) in H.
    now rewrite Z.land_spec, Z.pow2_bits_true, E, Z.bits_0 in H.
  - apply Z.eqb_eq, Z.bits_inj'. intros i _.
    rewrite Z.land_spec, Z.pow2_bits_eqb, Z.bits_0 by easy.
    destruct (Z.eqb_spec k i) as [<-|]; [now rewrite E|easy].
Qed.

Lemma meets_one n l h :
  meets (one n) l h =
  if (n <? 32)%nat then Z.testbit l (Z.of_nat n) else Z.testbit h (Z.of_nat n - 32).
Proof.
  unfold meets, one. destruct (Nat.ltb_spec n 32); cbn [low high];
    rewrite Z.land_0_l, ?Z.lor_0_r, ?Z.lor_0_l, land_power by lia; apply negb_involutive.
Qed.

Lemma taken_moved q s plies n m : bit s = one m ->
  is_taken (moved q s plies) (one n) = (n =? m)%nat || is_taken q (one n).
Proof.
  intro B. unfold is_taken. rewrite !meets_one. cbn [moved taken_low taken_high]. rewrite B. unfold one.
  destruct (Nat.ltb_spec n 32), (Nat.ltb_spec m 32), (Nat.eqb_spec n m); cbn [low high];
    rewrite Z.lor_spec, ?Z.pow2_bits_eqb, ?Z.bits_0 by lia; try reflexivity; try lia;
    destruct (Z.eqb_spec (Z.of_nat m) (Z.of_nat n)); try lia; try reflexivity;
    destruct (Z.eqb_spec (Z.of_nat m - 32) (Z.of_nat n - 32)); try lia; reflexivity.
Qed.

Lemma mine_moved q s plies n :
  is_mine (moved q s plies) (one n) = is_taken q (one n) && negb (is_mine q (one n)).
Proof.
  unfold is_taken, is_mine. rewrite !meets_one. destruct (n <? 32)%nat; apply Z.ldiff_spec.
Qed.

(* --- Moves --- *)

Section Right.

Variable g : game.
Let t := tables_of g.

Lemma field_eqb_eq a b : field_eqb a b = true -> a = b.
Proof.
  destruct a, b; unfold field_eqb; cbn.
  rewrite !andb_true_iff, !Z.eqb_eq. intuition congruence.
Qed.

Lemma spots_are s : In s (spots t) -> exists n f, s = spot_of g (n, f) /\ In (n, f) (numbered g).
Proof.
  cbn. intro H. apply in_map_iff in H. destruct H as [[n f] [<- H]].
  now exists n, f.
Qed.

Lemma entry_right all linked levels : forall step n m f found,
  entry (tree_of all linked levels step n) m = Some (f, found) -> found = linked f.
Proof.
  induction levels as [|levels IH]; intros step n m f found; cbn [tree_of entry].
  - destruct (nth_error all n); cbn; [now injection 1 as <- <-|easy].
  - destruct (Nat.odd m); apply IH.
Qed.

Lemma look_up_right all linked levels step n s :
  look_up (tree_of all linked levels step n) linked s = linked (here s).
Proof.
  unfold look_up. destruct (entry _ _) as [[f found]|] eqn:E; [|reflexivity].
  destruct (field_eqb f (here s)) eqn:F; [|reflexivity].
  apply field_eqb_eq in F. subst f. exact (entry_right _ _ _ _ _ _ _ _ E).
Qed.

Lemma in_line_with_right s : in_line_with t s = reached (spots t) (here s).
Proof. apply look_up_right. Qed.

Lemma next_to_right s : next_to t s = adjoining (spots t) (here s).
Proof. apply look_up_right. Qed.

Definition move_of (s : spot) : nat * field := (number s, here s).

Lemma usable_filter p (c : nat -> cell) fs : forall k,
  usable p k fs (map c (seq k (length fs)))
  = filter (fun nf => is_empty (c (fst nf)) && allowed p (snd nf)) (combine (seq k (length fs)) fs).
Proof.
  induction fs as [|f fs IH]; intro k; cbn; [reflexivity|].
  rewrite IH. now destruct (is_empty (c k) && allowed p f).
Qed.

Lemma filter_map {A B} (h : A -> B) p l : filter p (map h l) = map h (filter (fun x => p (h x)) l).
Proof. induction l as [|x l IH]; cbn; [reflexivity|]. rewrite IH. now destruct (p (h x)). Qed.

Lemma filter_filter {A} (p q : A -> bool) l :
  filter p (filter q l) = filter (fun x => q x && p x) l.
Proof.
  induction l as [|x l IH]; cbn; [reflexivity|]. destruct (q x); cbn; now rewrite IH.
Qed.

Lemma free_filter q barred from :
  free barred (taken_low q) (taken_high q) from
  = filter (fun s => negb (is_taken q (bit s)) && negb (panel (here s) =? barred)) from.
Proof.
  unfold is_taken. induction from as [|s rest IH]; cbn [free filter]; [reflexivity|]. rewrite IH.
  now destruct (meets (bit s) _ _), (panel (here s) =? barred).
Qed.

Lemma open_right q :
  open t q
  = filter (fun s => is_empty (cell_of q (bit s)) && allowed (meaning g q) (here s)) (spots t).
Proof.
  assert (E : forall s, negb (is_taken q (bit s)) = is_empty (cell_of q (bit s))).
  { intro s. unfold cell_of. now destruct (is_taken q (bit s)), (is_mine q (bit s)). }
  unfold open, allowed, meaning; cbn [last before].
  destruct (newest q) as [s|], (old q) as [o|]; cbn [option_map];
    rewrite ?free_filter, ?in_line_with_right; unfold reached; rewrite ?filter_filter; apply filter_ext;
    intro r; rewrite E.
  all: try destruct (in_line _ _); try destruct (negb (_ =? _)); try destruct (is_empty _);
    reflexivity.
Qed.

Lemma spots_map p :
  filter p (spots t) = map (spot_of g) (filter (fun nf => p (spot_of g nf)) (numbered g)).
Proof. apply filter_map. Qed.

Lemma moves_open q : moves g (meaning g q) = map move_of (open t q).
Proof.
  unfold moves. rewrite open_right, spots_map, map_map.
  unfold meaning at 2; cbn [board]. rewrite usable_filter. fold (numbered g).
  induction (numbered g) as [|[n f] l IH]; cbn; [reflexivity|].
  rewrite IH. now destruct (is_empty (cell_of q (one n)) && allowed _ f).
Qed.

Lemma open_spot q s : In s (open t q) -> In s (spots t) /\ is_taken q (bit s) = false.
Proof.
  rewrite open_right, filter_In, andb_true_iff. unfold cell_of.
  now destruct (is_taken q (bit s)), (is_mine q (bit s)).
Qed.

(* --- What a move does --- *)

Lemma cell_moved q s plies n : In s (open t q) ->
  cell_of (moved q s plies) (one n)
  = if (n =? number s)%nat then Other else turned (cell_of q (one n)).
Proof.
  intro H. apply open_spot in H. destruct H as [H E].
  destruct (spots_are s H) as [m [f [-> _]]]. cbn in E. unfold cell_of; cbn [spot_of number].
  rewrite (taken_moved _ _ _ _ m), mine_moved by reflexivity.
  destruct (Nat.eqb_spec n m) as [->|]; cbn [orb]; [now rewrite E|].
  now destruct (is_taken q (one n)), (is_mine q (one n)).
Qed.

Lemma placed_map (c : nat -> cell) m : forall n k,
  placed n (map c (seq k m))
  = map (fun i => if (i =? n + k)%nat then Other else turned (c i)) (seq k m).
Proof.
  induction m as [|m IH]; intros n k; cbn [seq map placed]; [now destruct n|].
  destruct n as [|n].
  - cbn [placed Nat.add]. rewrite Nat.eqb_refl. f_equal. rewrite map_map. apply map_ext_in.
    intros i H. apply in_seq in H. now destruct (Nat.eqb_spec i k); [lia|].
  - cbn [placed]. rewrite IH. destruct (Nat.eqb_spec k (S n + k)); [lia|]. f_equal.
    apply map_ext. intro i. now rewrite Nat.add_succ_r.
Qed.

Lemma after_moved q s plies : In s (open t q) ->
  after (meaning g q) (move_of s) plies = meaning g (moved q s plies).
Proof.
  intro H. unfold after, meaning; cbn [move_of fst snd board last moved newest old left option_map].
  f_equal. rewrite placed_map. apply map_ext. intro n.
  now rewrite (cell_moved _ _ _ _ H), Nat.add_0_r.
Qed.

(* --- Points --- *)

Lemma marbles_filter who (c : nat -> cell) fs : forall k,
  marbles who fs (map c (seq k (length fs)))
  = map snd (filter (fun nf => same (c (fst nf)) who) (combine (seq k (length fs)) fs)).
Proof.
  induction fs as [|f fs IH]; intro k; cbn; [reflexivity|].
  rewrite IH. now destruct (same (c k) who).
Qed.

Lemma lying_right q who : lying t q who = marbles who (fields g) (board (meaning g q)).
Proof.
  unfold lying, meaning; cbn [board]. rewrite marbles_filter, spots_map, map_map. fold (numbered g).
  induction (numbered g) as [|[n f] l IH]; [reflexivity|].
  cbn [filter fst]. change (bit (spot_of g (n, f))) with (one n).
  destruct (same (cell_of q (one n)) who); cbn [map]; now rewrite IH.
Qed.

Definition margin_on (q : packed) (k : Z) : Z :=
  count_on k (marbles Own (fields g) (board (meaning g q)))
  - count_on k (marbles Other (fields g) (board (meaning g q))).

Lemma lead_right q k : lead q (group_of g k) = margin_on q k.
Proof.
  unfold group_of, margin_on, meaning; cbn [board]. rewrite !marbles_filter. fold (numbered g).
  induction (numbered g) as [|[n f] l IH]; [reflexivity|]. cbn [filter map fst snd].
  destruct (panel f =? k) eqn:P; cbn [map lead fst]; rewrite IH;
    destruct (cell_of q (one n)); cbn [same map count_on snd]; rewrite ?P; lia.
Qed.

Definition share (q : packed) (k : Z) : Z :=
  let m := margin_on q k in
  let size := count_on k (fields g) in
  if 0 <? m then size else if m <? 0 then - size else 0.

Definition total (q : packed) (numbers : list Z) : Z := fold_right Z.add 0 (map (share q) numbers).

Definition points (q : packed) : Z :=
  let p := meaning g q in
  panel_points (fields g) (marbles Own (fields g) (board p)) (marbles Other (fields g) (board p)).

Lemma fold_sum {A} (step : Z -> A -> Z) (h : A -> Z) : (forall z x, step z x = z + h x) ->
  forall l z, fold_left step l z = z + fold_right Z.add 0 (map h l).
Proof.
  intros H l. induction l as [|x l IH]; intro z; cbn [fold_left map fold_right]; [lia|].
  rewrite IH, H. lia.
Qed.

Lemma points_total q : points q = total q (panels_of (fields g) []).
Proof.
  apply (fold_sum _ (share q)). intros z k. unfold share, margin_on.
  destruct (Z.compare_spec (count_on k (marbles Own (fields g) (board (meaning g q))))
    (count_on k (marbles Other (fields g) (board (meaning g q)))));
  repeat match goal with |- context [?a <? ?b] => destruct (Z.ltb_spec a b) end; lia.
Qed.

Lemma points_of_right q : points_of t q = points q.
Proof.
  rewrite points_total. unfold points_of, total. cbn [t tables_of groups].
  generalize (panels_of (fields g) []) as l. intro l.
  rewrite (fold_sum _ (fun one_panel => let l := lead q (fst one_panel) in
    if 0 <? l then snd one_panel else if l <? 0 then - snd one_panel else 0)).
  - rewrite map_map. apply (f_equal (fold_right Z.add 0)), map_ext. intro k.
    cbn [fst snd]. now rewrite lead_right.
  - intros z [sets size]. cbn [fst snd]. destruct (_ <? _); [lia|]. destruct (_ <? _); lia.
Qed.

(* How often the move is among the fields of a panel: once, if it is on it. *)
Definition hits (k : Z) (m : nat) (l : list (nat * field)) : Z :=
  Z.of_nat (length (filter (fun nf => (panel (snd nf) =? k) && (fst nf =? m)%nat) l)).

Lemma hits_none k m fs : forall j, (m < j)%nat -> hits k m (combine (seq j (length fs)) fs) = 0.
Proof.
  induction fs as [|f fs IH]; intros j H; [reflexivity|]. unfold hits in *. cbn.
  destruct (Nat.eqb_spec j m); [lia|]. rewrite andb_false_r. apply IH. lia.
Qed.

Lemma hits_once k m f fs : forall j, In (m, f) (combine (seq j (length fs)) fs) ->
  hits k m (combine (seq j (length fs)) fs) = if panel f =? k then 1 else 0.
Proof.
  induction fs as [|e fs IH]; intros j; [easy|]. intros [E|H].
  - injection E as -> ->. pose proof (hits_none k m fs (S m) ltac:(lia)) as N.
    unfold hits in *. cbn.
    rewrite Nat.eqb_refl, andb_true_r. destruct (panel f =? k); cbn [length]; lia.
  - specialize (IH _ H). unfold hits in *. cbn. apply in_combine_l, in_seq in H.
    destruct (Nat.eqb_spec j m); [lia|]. now rewrite andb_false_r.
Qed.

Lemma margin_moved q s plies k : In s (open t q) ->
  margin_on (moved q s plies) k = - (margin_on q k + if panel (here s) =? k then 1 else 0).
Proof.
  intro H. pose proof (open_spot _ _ H) as [S E].
  destruct (spots_are s S) as [m [f [-> F]]].
  change (here (spot_of g (m, f))) with f. rewrite <- !lead_right, <- (hits_once k m f (fields g) 0 F).
  unfold group_of, hits. fold (numbered g).
  clear F S. induction (numbered g) as [|[n e] l IH]; [reflexivity|]. cbn [filter map fst snd].
  destruct (panel e =? k); cbn [map lead fst andb]; [|exact IH].
  rewrite IH, (cell_moved _ _ _ _ H). cbn [spot_of number]. cbn in E.
  destruct (Nat.eqb_spec n m) as [->|]; cbn [length].
  - unfold cell_of. rewrite E. lia.
  - destruct (cell_of q (one n)); cbn [turned]; lia.
Qed.

Lemma share_moved q s plies k : In s (open t q) ->
  share (moved q s plies) k = - (share q k + if panel (here s) =? k then gain q s else 0).
Proof.
  intro H. unfold share, gain. rewrite (margin_moved _ _ _ _ H).
  destruct (spots_are s (proj1 (open_spot _ _ H))) as [m [f [-> _]]].
  cbn [spot_of here group size]. rewrite lead_right.
  destruct (Z.eqb_spec (panel f) k) as [->|];
  repeat match goal with
  | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
  | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
  end; cbn [orb]; lia.
Qed.

Lemma panels_of_once fs : forall known,
  NoDup (panels_of fs known)
  /\ (forall k, In k (panels_of fs known) -> ~ In k known)
  /\ (forall f, In f fs -> In (panel f) known \/ In (panel f) (panels_of fs known)).
Proof.
  induction fs as [|f fs IH]; intro known; cbn [panels_of]; [repeat split; easy || constructor|].
  destruct (existsb (Z.eqb (panel f)) known) eqn:E.
  - destruct (IH known) as [N [D C]]. repeat split; [exact N|exact D|].
    intros e [<-|H]; [|now apply C]. apply existsb_exists in E.
    destruct E as [x [X Y]]. apply Z.eqb_eq in Y. subst. now left.
  - destruct (IH (panel f :: known)) as [N [D C]]. repeat split.
    + constructor; [|exact N]. intro H. apply (D _ H). now left.
    + intros k [<-|H] K; [|apply (D _ H); now right].
      enough (existsb (Z.eqb (panel f)) known = true) by congruence.
      apply existsb_exists. exists (panel f). split; [exact K|apply Z.eqb_refl].
    + intros e [<-|H]; [right; now left|].
      destruct (C _ H) as [[->|K]|K]; [right; now left|now left|right; now right].
Qed.

Lemma points_moved q s plies : In s (open t q) ->
  points (moved q s plies) = - (points q + gain q s).
Proof.
  intro H. rewrite !points_total.
  assert (C : count_occ Z.eq_dec (panels_of (fields g) []) (panel (here s)) = 1%nat).
  { destruct (panels_of_once (fields g) []) as [N [_ C]]. apply NoDup_count_occ'; [exact N|].
    destruct (spots_are s (proj1 (open_spot _ _ H))) as [m [f [-> F]]].
    apply in_combine_r in F. now destruct (C f F). }
  replace (gain q s) with
    (gain q s * Z.of_nat (count_occ Z.eq_dec (panels_of (fields g) []) (panel (here s))))
    by (rewrite C; lia).
  clear C. unfold total.
  induction (panels_of (fields g) []) as [|k l IH]; cbn [map fold_right count_occ]; [lia|].
  rewrite IH, (share_moved _ _ _ _ H).
  destruct (Z.eq_dec k (panel (here s))) as [->|N]; [rewrite Z.eqb_refl; lia|].
  destruct (Z.eqb_spec (panel (here s)) k); [congruence|lia].
Qed.

(* --- What is worth what --- *)

Lemma lies_on_right q who x y :
  lies_on (lying t q who) x y
  = existsb (fun b => same (cell_of q b) who) (sets_at (spots t) x y).
Proof.
  unfold lies_on, lying, sets_at. induction (spots t) as [|s l IH]; [reflexivity|]. cbn [filter].
  destruct (same _ _) eqn:S, (_ && _) eqn:P; cbn [map existsb]; rewrite ?S, ?P, ?IH; reflexivity.
Qed.

Lemma run_on_right q who dx dy steps : forall k x y, (steps <= k)%nat ->
  run_on (fun b => same (cell_of q b) who) steps (sets_from (spots t) k x y dx dy)
  = run_from steps (lying t q who) x y dx dy.
Proof.
  induction steps as [|steps IH]; intros [|k] x y L; [easy..|lia|].
  cbn [sets_from run_from]. rewrite lies_on_right. specialize (IH k (x + dx) (y + dy) ltac:(lia)).
  destruct (sets_at _ x y); cbn [run_on]; [reflexivity|]. now rewrite IH.
Qed.

Lemma fold_map {A B C} (step : C -> B -> C) (h : A -> B) l : forall c,
  fold_left step (map h l) c = fold_left (fun c x => step c (h x)) l c.
Proof. induction l as [|x l IH]; intro c; cbn; [reflexivity|]. apply IH. Qed.

Lemma fold_filter {A C} (step : C -> A -> C) p l : forall c,
  fold_left step (filter p l) c = fold_left (fun c x => if p x then step c x else c) l c.
Proof. induction l as [|x l IH]; intro c; cbn; [reflexivity|]. destruct (p x); apply IH. Qed.

Lemma fold_same {A C} (f h : C -> A -> C) l : (forall c x, f c x = h c x) -> forall c,
  fold_left f l c = fold_left h l c.
Proof. intros E. induction l as [|x l IH]; intro c; cbn; [reflexivity|]. now rewrite E, IH. Qed.

Lemma run_on_short holds steps r : is_long r = false -> run_on holds steps (onward r) < 5.
Proof.
  unfold is_long.
  destruct (onward r) as [|p1 [|p2 [|p3 [|p4 [|p5 rest]]]]]; try easy; intros _;
    destruct steps as [|[|[|[|[|steps]]]]]; cbn;
    repeat match goal with |- context [existsb holds ?p] => destruct (existsb holds p) end;
    cbn; lia.
Qed.

Lemma few_lying q who : (length (lying t q who) <= length (spots t))%nat.
Proof.
  unfold lying. rewrite map_length.
  induction (spots t) as [|s l IH]; cbn; [lia|]. destruct (same _ _); cbn; lia.
Qed.

Lemma chains_right q who : chains t q who = chain_points (lying t q who).
Proof.
  unfold chains, chain_points. change (rays t) with
    (map (fun d => filter is_long (map (ray_of (spots t) d) (spots t)))
      [(1, 0); (0, 1); (1, 1); (-1, 1)]).
  rewrite fold_map. apply fold_same. intros c [dx dy].
  match goal with |- _ = fold_left ?step _ c => change (fold_left step (lying t q who) c) with
    (fold_left step (map here (filter (fun s => same (cell_of q (bit s)) who) (spots t))) c) end.
  rewrite !fold_filter, !fold_map, fold_filter. apply fold_same. intros d s.
  set (r := ray_of (spots t) (dx, dy) s). set (holds := fun b => same (cell_of q b) who).
  replace (run_from _ _ _ _ _ _) with (run_on holds (length (lying t q who)) (onward r)).
  - rewrite lies_on_right. fold holds. change (bit s) with (start r).
    change (sets_at (spots t) (column (here s) - dx) (row (here s) - dy)) with (behind r).
    destruct (is_long r) eqn:L; [reflexivity|].
    apply (run_on_short holds (length (lying t q who))), Z.leb_gt in L. rewrite L.
    destruct (same _ _); [destruct (existsb holds (behind r))|]; reflexivity.
  - apply run_on_right, few_lying.
Qed.

(* --- Areas --- *)

(* The fields of a set. *)
Definition shown (r : set) : list field := map here (filter (inside r) (spots t)).

Lemma numbered_once (n : nat) (f e : field) fs : forall k,
  In (n, f) (combine (seq k (length fs)) fs) -> In (n, e) (combine (seq k (length fs)) fs) -> f = e.
Proof.
  induction fs as [|d fs IH]; intro k; [easy|]. cbn.
  intros [A|A] [B|B]; try congruence; [| |exact (IH (S k) A B)].
  - injection A as -> ->. apply in_combine_l, in_seq in B. lia.
  - injection B as -> ->. apply in_combine_l, in_seq in A. lia.
Qed.

Lemma spots_once a b : In a (spots t) -> In b (spots t) -> number a = number b -> a = b.
Proof.
  intros A B E. destruct (spots_are a A) as [n [f [-> F]]], (spots_are b B) as [m [e [-> M]]].
  cbn in E. subst m. now rewrite (numbered_once n f e (fields g) 0 F M).
Qed.

Lemma inside_bit r s : In s (spots t) -> inside r s =
  if (number s <? 32)%nat then Z.testbit (low r) (Z.of_nat (number s))
  else Z.testbit (high r) (Z.of_nat (number s) - 32).
Proof. intro S. destruct (spots_are s S) as [n [f [-> _]]]. apply meets_one. Qed.

Lemma inside_without found : forall r s, In s (spots t) -> incl found (spots t) ->
  inside (without found r) s = inside r s && negb (existsb (fun n => number n =? number s)%nat found).
Proof.
  induction found as [|x found IH]; intros r s S I; cbn [without existsb].
  - now rewrite andb_true_r.
  - rewrite IH by (assumption || (intros y Y; apply I; now right)).
    rewrite !inside_bit by exact S. cbn [low high].
    destruct (spots_are x (I x (or_introl eq_refl))) as [m [f [-> _]]].
    cbn [spot_of number bit]. unfold one.
    destruct (Nat.ltb_spec (number s) 32), (Nat.ltb_spec m 32), (Nat.eqb_spec m (number s));
      cbn [low high orb]; rewrite Z.ldiff_spec, ?Z.pow2_bits_eqb, ?Z.bits_0 by lia;
      try lia; rewrite ?andb_true_r; try reflexivity;
      repeat match goal with |- context [Z.eqb ?a ?b] => destruct (Z.eqb_spec a b) end; try lia;
      cbn [negb]; rewrite ?andb_true_r, ?andb_false_r; reflexivity.
Qed.

Lemma partition_filter {A} p (l : list A) :
  partition p l = (filter p l, filter (fun x => negb (p x)) l).
Proof. induction l as [|x l IH]; cbn; [reflexivity|]. rewrite IH. now destruct (p x). Qed.

(* What is left of a set without the fields near a field. *)
Lemma shown_near r s :
  let near := filter (inside r) (next_to t s) in
  partition (beside (here s)) (shown r) = (map here near, shown (without near r)).
Proof.
  cbv zeta. rewrite partition_filter. unfold shown at 1 2. rewrite !filter_map, next_to_right.
  unfold adjoining. rewrite !filter_filter. f_equal.
  - f_equal. apply filter_ext. intro x. apply andb_comm.
  - unfold shown. f_equal. apply filter_ext_in. intros x X.
    rewrite inside_without; [|exact X|intros y Y; apply filter_In in Y; tauto].
    destruct (inside r x) eqn:R; [|reflexivity]. cbn [andb]. f_equal.
    apply eq_true_iff_eq. rewrite existsb_exists. split.
    + intro B. exists x. rewrite filter_In, B, R. split; [now split|apply Nat.eqb_refl].
    + intros [y [Y E]]. apply filter_In in Y. destruct Y as [Y Z].
      apply Nat.eqb_eq in E. rewrite (spots_once y x Y X E), R, andb_true_r in Z. exact Z.
Qed.

Lemma flood_right steps : forall edge r size,
  spread steps (map here edge) (shown r) size
  = let (z, r') := flood t steps edge r size in (z, shown r').
Proof.
  induction steps as [|steps IH]; intros edge r size; [reflexivity|].
  destruct edge as [|s edge]; [reflexivity|]. cbn [map spread flood].
  rewrite shown_near, <- map_app. apply IH.
Qed.

Lemma flood_less steps : forall edge r size s, In s (spots t) ->
  inside (snd (flood t steps edge r size)) s = true -> inside r s = true.
Proof.
  induction steps as [|steps IH]; intros edge r size s S; [easy|].
  destruct edge as [|x edge]; [easy|]. cbn [flood]. intro H. apply (IH _ _ _ _ S) in H.
  rewrite inside_without in H; [now apply andb_true_iff in H|exact S|].
  intros y Y. rewrite next_to_right in Y. unfold adjoining in Y. rewrite !filter_In in Y. tauto.
Qed.

(* More steps change nothing. *)
Lemma spread_steps n : forall m edge rest size,
  (length edge + length rest <= n)%nat -> (length edge + length rest <= m)%nat ->
  spread n edge rest size = spread m edge rest size.
Proof.
  induction n as [|n IH]; intros m edge rest size N M.
  - destruct edge; [now destruct m|cbn in N; lia].
  - destruct edge as [|f edge]; [now destruct m|]. destruct m as [|m]; [cbn in M; lia|].
    cbn [spread]. destruct (partition (beside f) rest) as [near far] eqn:P.
    apply partition_length in P. cbn [length] in *. apply IH; rewrite app_length; lia.
Qed.

Lemma filter_less {A} p q (l : list A) : (forall x, In x l -> p x = true -> q x = true) ->
  (length (filter p l) <= length (filter q l))%nat.
Proof.
  induction l as [|x l IH]; intro H; cbn; [lia|].
  pose proof (H x (or_introl eq_refl)) as X. specialize (IH (fun y Y => H y (or_intror Y))).
  destruct (p x), (q x); cbn; lia || now specialize (X eq_refl).
Qed.

Lemma filter_none {A} p (l : list A) : (forall x, In x l -> p x = false) -> filter p l = [].
Proof.
  induction l as [|x l IH]; intro H; cbn; [reflexivity|].
  rewrite (H x) by now left. apply IH. intros y Y. apply H. now right.
Qed.

Lemma numbers_once : NoDup (map number (spots t)).
Proof.
  cbn [t tables_of spots]. unfold spots_of, numbered. rewrite map_map.
  replace (map _ _) with (seq 0 (length (fields g))); [apply seq_NoDup|].
  generalize 0%nat. induction (fields g) as [|f fs IH]; intro k; cbn; [reflexivity|].
  now rewrite IH at 1.
Qed.

Lemma islands_right from : forall steps done r most, spots t = done ++ from ->
  (forall x, In x done -> inside r x = false) -> (length (shown r) <= steps)%nat ->
  largest steps (shown r) most = islands t (length (spots t)) from r most.
Proof.
  induction from as [|s from IH]; intros steps done r most S D L; cbn [islands].
  - unfold shown. rewrite S, app_nil_r, (filter_none _ _ D). now destruct steps.
  - assert (I : In s (spots t)) by (rewrite S; apply in_elt).
    destruct (inside r s) eqn:R.
    + assert (N : forall x, In x from -> (number s =? number x)%nat = false).
      { intros x X. apply Nat.eqb_neq. intro E. pose proof numbers_once as O.
        rewrite S, map_app in O. cbn [map] in O. apply NoDup_remove_2 in O. apply O.
        rewrite E. apply in_or_app. right. now apply in_map. }
      assert (W : forall x, In x (spots t) -> inside (without [s] r) x
        = inside r x && negb (number s =? number x)%nat).
      { intros x X. rewrite inside_without; [|exact X|now intros y [<-|[]]].
        cbn [existsb]. now rewrite orb_false_r. }
      assert (E : shown r = here s :: shown (without [s] r)).
      { unfold shown. rewrite S, !filter_app, (filter_none _ _ D).
        rewrite (filter_none (inside (without [s] r)) done).
        - cbn [app filter]. rewrite R, (W s I), Nat.eqb_refl, andb_false_r. cbn [map].
          do 2 f_equal. apply filter_ext_in. intros x X.
          rewrite W, (N x X) by (rewrite S; apply in_or_app; right; now right).
          now rewrite andb_true_r.
        - intros x X. rewrite W, (D x X) by (rewrite S; apply in_or_app; now left). reflexivity. }
      assert (C : (length (shown r) <= length (spots t))%nat).
      { unfold shown. rewrite map_length. clear. induction (spots t) as [|x l IH]; cbn; [lia|].
        destruct (inside r x); cbn; lia. }
      rewrite E in *. cbn [length] in L, C. destruct steps as [|steps]; [lia|]. cbn [largest].
      rewrite (spread_steps _ (length (spots t))) by (cbn [length]; lia).
      change [here s] with (map here [s]). rewrite flood_right.
      pose proof (flood_less (length (spots t)) [s] (without [s] r) 0) as F.
      destruct (flood t (length (spots t)) [s] (without [s] r) 0) as [z r']. cbn [snd] in F.
      apply (IH _ (done ++ [s])).
      * now rewrite <- app_assoc.
      * intros x X. apply not_true_iff_false. intro T.
        assert (J : In x (spots t)).
        { rewrite S. apply in_app_iff in X. apply in_or_app.
          destruct X as [X|[->|[]]]; [now left|right; now left]. }
        specialize (F x J T). rewrite (W x J), andb_true_iff in F. destruct F as [F G].
        apply in_app_iff in X. destruct X as [X|[->|[]]].
        -- now rewrite (D x X) in F.
        -- now rewrite Nat.eqb_refl in G.
      * apply (Nat.le_trans _ (length (shown (without [s] r)))); [|lia].
        unfold shown. rewrite !map_length. apply filter_less. exact F.
    + apply (IH _ (done ++ [s])); [now rewrite <- app_assoc| |exact L].
      intros x X. apply in_app_iff in X. destruct X as [X|[->|[]]]; [now apply D|exact R].
Qed.

Lemma area_right r : area t r = largest_area (shown r).
Proof. symmetry. now apply (islands_right (spots t) _ []). Qed.

Lemma shown_lying q r who :
  (forall s, In s (spots t) -> inside r s = same (cell_of q (bit s)) who) -> shown r = lying t q who.
Proof. intro H. unfold shown, lying. f_equal. now apply filter_ext_in. Qed.

(* A side's set, bit by bit; `spec` says how its words are made. *)
Ltac side_is_shown spec :=
  apply shown_lying; intros s S; destruct (spots_are s S) as [n [f [-> _]]];
  unfold inside, cell_of, is_taken, is_mine; cbn [spot_of bit own_set other_set low high];
  rewrite !meets_one;
  destruct (n <? 32)%nat; rewrite spec; destruct (Z.testbit _ _), (Z.testbit _ _); reflexivity.

Lemma own_right q : shown (own_set q) = lying t q Own.
Proof. side_is_shown Z.land_spec. Qed.

Lemma other_right q : shown (other_set q) = lying t q Other.
Proof. side_is_shown Z.ldiff_spec. Qed.

Lemma final_right q : final g t q (points q) = score g (meaning g q).
Proof.
  unfold final, score. now rewrite !chains_right, !area_right, own_right, other_right, !lying_right.
Qed.

Lemma final_alone q points : panels_alone g = true -> final g t q points = points.
Proof.
  unfold panels_alone, final. destruct (areas_count g), (chains_count g); try easy. intros _. lia.
Qed.

Lemma highest_first x l : x <= highest x l.
Proof.
  revert x; induction l as [|y l IH]; intro x; [cbn; lia|].
  change (x <= highest (Z.max x y) l). specialize (IH (Z.max x y)). lia.
Qed.

Lemma highest_in x l y : In y l -> y <= highest x l.
Proof.
  revert x; induction l as [|z l IH]; intros x; [easy|].
  change (In y (z :: l) -> y <= highest (Z.max x z) l). intros [->|H].
  - pose proof (highest_first (Z.max x y) l). lia.
  - now apply IH.
Qed.

Lemma highest_most x l b : x <= b -> (forall y, In y l -> y <= b) -> highest x l <= b.
Proof.
  revert x; induction l as [|y l IH]; intros x Hx H; [exact Hx|].
  change (highest (Z.max x y) l <= b). apply IH.
  - specialize (H y (or_introl eq_refl)). lia.
  - intros z Hz. apply H. now right.
Qed.

Lemma highest_all a x l : fold_left Z.max (x :: l) a = Z.max a (highest x l).
Proof.
  unfold highest. revert a x. induction l as [|y l IH]; intros a x; [reflexivity|].
  cbn [fold_left] in *. rewrite <- IH. now rewrite Z.max_assoc.
Qed.

Lemma best_of_right worth_of value_of b moves :
  (forall s a, In s moves -> a <= b -> worth_of s a = within a b (value_of s)) ->
  forall a, a <= b -> best_of worth_of b moves a = Z.min b (fold_left Z.max (map value_of moves) a).
Proof.
  induction moves as [|s rest IH]; intros W a L; cbn [best_of map fold_left]; [lia|].
  rewrite W by (assumption || now left). unfold within.
  destruct (Z.leb_spec b (Z.max a (Z.min b (value_of s)))).
  - pose proof (highest_first (Z.max a (value_of s)) (map value_of rest)). unfold highest in *. lia.
  - change (best_of worth_of b rest (Z.max a (Z.min b (value_of s)))
      = Z.min b (fold_left Z.max (map value_of rest) (Z.max a (value_of s)))).
    replace (Z.min b (value_of s)) with (value_of s) in * by lia.
    apply IH; [|lia]. intros r c H'. apply W. now right.
Qed.

Lemma best_right plies : forall q a b, a <= b ->
  best g t plies q (points q) a b = within a b (worth g plies (meaning g q)).
Proof.
  induction plies as [|plies IH]; intros q a b L; cbn [best worth]; [now rewrite final_right|].
  rewrite moves_open. pose proof (after_moved q) as A. pose proof (points_moved q) as P.
  destruct (open t q) as [|s rest]; cbn [map]; [now rewrite final_right|].
  set (value_of := fun s => - worth g plies (after (meaning g q) (move_of s) plies)).
  enough (B : forall worth_of,
    (forall r c, In r (s :: rest) -> c <= b -> worth_of r c = within c b (value_of r)) ->
    best_of worth_of b (s :: rest) a
    = within a b (highest (value_of s)
        (map (fun m => - worth g plies (after (meaning g q) m plies)) (map move_of rest)))).
  { destruct (_ && _) eqn:E; apply B; intros r c H K; unfold value_of.
    - apply andb_true_iff in E. destruct E as [E N]. apply Nat.eqb_eq in E. subst plies.
      rewrite (A r O H). cbn [worth]. rewrite <- final_right, final_alone, (P r O H) by exact N.
      f_equal. lia.
    - rewrite <- (P r plies H), IH, (A r plies H) by lia. unfold within. lia. }
  intros worth_of W. rewrite (best_of_right _ value_of) by assumption.
  cbn [map]. rewrite highest_all, map_map. unfold within, value_of. lia.
Qed.

End Right.
