(* The rules of Kulami, and what a position is worth.

   This page is what the theorem of Checker.v is about. Whoever knows the game can read it:
   docs/rules.md says the same in words. A position is seen by the side to move: its marbles are
   Own, those of the other side Other. *)

From Coq Require Import List ZArith Bool.
Import ListNotations.
Open Scope Z_scope.

(* A field of the board: its column, its row, and the number of its panel. *)
Record field := Field { column : Z; row : Z; panel : Z }.

(* What lies on a field. *)
Inductive cell := Empty | Own | Other.

(* What counts besides the panels. *)
Record game := Game { fields : list field; areas_count : bool; chains_count : bool }.

(* What lies on each field, in the order of the game's fields; the newest marble and the one before
   it, if there are any; and how many marbles may still be placed, both sides together. *)
Record position := Position {
  board : list cell; last : option field; before : option field; supply : nat }.

(* --- Moves --- *)

(* A marble goes in the row or the column of the newest one, not on its panel ... *)
Definition in_line (f newest : field) : bool :=
  ((column f =? column newest) || (row f =? row newest)) && negb (panel f =? panel newest).

(* ... and not on the panel of the marble before it. *)
Definition allowed (p : position) (f : field) : bool :=
  match last p with None => true | Some newest => in_line f newest end
  && match before p with None => true | Some old => negb (panel f =? panel old) end.

Definition is_empty (c : cell) : bool := match c with Empty => true | _ => false end.

(* The numbers of the fields that may be used, counted from n. *)
Fixpoint usable (p : position) (n : nat) (fs : list field) (cs : list cell) : list (nat * field) :=
  match fs, cs with
  | f :: fs', c :: cs' =>
      if is_empty c && allowed p f then (n, f) :: usable p (S n) fs' cs'
      else usable p (S n) fs' cs'
  | _, _ => []
  end.

Definition moves (g : game) (p : position) : list (nat * field) := usable p 0 (fields g) (board p).

(* After a move the other side is to move: its marbles are Own then. *)
Definition turned (c : cell) : cell :=
  match c with Empty => Empty | Own => Other | Other => Own end.

Fixpoint placed (n : nat) (cs : list cell) : list cell :=
  match n, cs with
  | _, [] => []
  | O, _ :: cs' => Other :: map turned cs'
  | S n', c :: cs' => turned c :: placed n' cs'
  end.

Definition after (p : position) (move : nat * field) (plies : nat) : position :=
  Position (placed (fst move) (board p)) (Some (snd move)) (last p) plies.

(* --- Points --- *)

Definition same (a b : cell) : bool :=
  match a, b with Empty, Empty | Own, Own | Other, Other => true | _, _ => false end.

(* The fields with a marble of one side. *)
Fixpoint marbles (who : cell) (fs : list field) (cs : list cell) : list field :=
  match fs, cs with
  | f :: fs', c :: cs' =>
      if same c who then f :: marbles who fs' cs' else marbles who fs' cs'
  | _, _ => []
  end.

Fixpoint count_on (number : Z) (fs : list field) : Z :=
  match fs with
  | [] => 0
  | f :: fs' => if panel f =? number then 1 + count_on number fs' else count_on number fs'
  end.

(* Each panel once: by the first of its fields. *)
Fixpoint panels_of (fs : list field) (known : list Z) : list Z :=
  match fs with
  | [] => []
  | f :: fs' =>
      if existsb (Z.eqb (panel f)) known then panels_of fs' known
      else panel f :: panels_of fs' (panel f :: known)
  end.

(* Who has more marbles on a panel gets as many points as it has fields. *)
Definition panel_points (fs own other : list field) : Z :=
  fold_left
    (fun points number =>
       match count_on number own ?= count_on number other with
       | Gt => points + count_on number fs
       | Lt => points - count_on number fs
       | Eq => points
       end)
    (panels_of fs []) 0.

(* An area: marbles of one side connected by their sides. *)
Definition beside (a b : field) : bool :=
  Z.abs (column a - column b) + Z.abs (row a - row b) =? 1.

(* How many marbles are connected with those of edge, which is not in rest, and what is left of the
   rest. There are no more steps than marbles. *)
Fixpoint spread (steps : nat) (edge rest : list field) (size : Z) : Z * list field :=
  match steps, edge with
  | S steps', f :: edge' =>
      let (near, far) := partition (beside f) rest in spread steps' (near ++ edge') far (size + 1)
  | _, _ => (size, rest)
  end.

Fixpoint largest (steps : nat) (mine : list field) (best : Z) : Z :=
  match steps, mine with
  | S steps', f :: mine' =>
      let (size, rest) := spread (length mine) [f] mine' 0 in largest steps' rest (Z.max best size)
  | _, _ => best
  end.

Definition largest_area (mine : list field) : Z := largest (length mine) mine 0.

(* A chain: five or more in a row, in one of four directions. *)
Definition lies_on (mine : list field) (x y : Z) : bool :=
  existsb (fun f => (column f =? x) && (row f =? y)) mine.

Fixpoint run_from (steps : nat) (mine : list field) (x y dx dy : Z) : Z :=
  match steps with
  | O => 0
  | S steps' =>
      if lies_on mine x y then 1 + run_from steps' mine (x + dx) (y + dy) dx dy else 0
  end.

(* Each run counts once, from the marble that it begins with. *)
Definition chain_points (mine : list field) : Z :=
  fold_left
    (fun points d =>
       fold_left
         (fun points f =>
            let (dx, dy) := (d : Z * Z) in
            if lies_on mine (column f - dx) (row f - dy) then points
            else
              let run := run_from (length mine) mine (column f) (row f) dx dy in
              if 5 <=? run then points + run else points)
         mine points)
    [(1, 0); (0, 1); (1, 1); (-1, 1)] 0.

(* The margin of a game that is over, for the side to move. *)
Definition score (g : game) (p : position) : Z :=
  let own := marbles Own (fields g) (board p) in
  let other := marbles Other (fields g) (board p) in
  panel_points (fields g) own other
  + (if areas_count g then largest_area own - largest_area other else 0)
  + (if chains_count g then chain_points own - chain_points other else 0).

(* --- What a position is worth --- *)

Definition highest (first : Z) (others : list Z) : Z := fold_left Z.max others first.

(* The game is over when no marble is left to place, or no field may be used. Otherwise the side to
   move takes the move that is best for it: what is good for the other side then is bad for it. *)
Fixpoint worth (g : game) (plies : nat) (p : position) : Z :=
  match plies, moves g p with
  | S plies', m :: ms =>
      highest (- worth g plies' (after p m plies')) (map (fun m => - worth g plies' (after p m plies')) ms)
  | _, _ => score g p
  end.

Definition value (g : game) (p : position) : Z := worth g (supply p) p.
