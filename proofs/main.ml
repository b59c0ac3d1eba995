(* Reads what `kulami export FILE.kpf --text` has written, and asks the proved checker.

   What is here is not proved. What rests on it is that the root and the rules asked about are those
   of the first two lines. The output repeats them, and draws the root as the rules see it. Only the
   checker can make what is shown (`Proved`). So a step that is read wrongly, or a memory that finds the
   wrong thing, can make the checker refuse what is true, and nothing else. *)

open Checker

(* The checker, as this file sees it: what is shown can be looked at, but not made. *)
module Proved : sig
  type shown = private { about : packed; what : kind; bound : int }

  val check :
    game ->
    int ->
    ('memory -> (step * 'memory) option) ->
    ('memory -> packed -> kind -> shown option) ->
    ('memory -> shown -> 'memory) ->
    int ->
    'memory ->
    packed ->
    claim ->
    verdict
end =
  Checker

exception Bad of int * string

(* --- Positions --- *)

let read_layout text =
  let fields = ref [] in
  List.iteri
    (fun y row ->
      String.iteri
        (fun x c ->
          if c <> '.' then fields := { column = x; row = y; panel = Char.code c } :: !fields)
        row)
    (String.split_on_char '/' text);
  List.rev !fields

(* By row and column, `width` places a row: the spots, and the two words of their sets. *)
type places = { spots : spot option array; lows : int array; highs : int array }

let width = 64

let places_of game =
  let of_all x = Array.make (width * width) x in
  let places = { spots = of_all None; lows = of_all 0; highs = of_all 0 } in
  List.iter
    (fun s ->
      if s.here.column >= width then failwith "layout";
      let at = (width * s.here.row) + s.here.column in
      places.spots.(at) <- Some s;
      places.lows.(at) <- s.bit.low;
      places.highs.(at) <- s.bit.high)
    (spots_of game);
  places

(* A line that is read from left to right. *)
type text = { line : string; mutable at : int }

let is_end text = text.at >= String.length text.line
let peek text = if is_end text then ' ' else text.line.[text.at]
let pass text = text.at <- text.at + 1

let take text =
  let c = peek text in
  pass text;
  c

let expect text c = if take text <> c then failwith "text"

let read_number text =
  let rec digits n =
    match peek text with
    | '0' .. '9' as c when n < 1_000_000 ->
        pass text;
        digits ((10 * n) + Char.code c - 48)
    | _ -> n
  in
  let is_negative = peek text = '-' in
  if is_negative then pass text;
  match peek text with
  | '0' .. '9' -> if is_negative then -digits 0 else digits 0
  | _ -> failwith "number"

let read_spot places text =
  let x = Char.code (take text) - Char.code 'a' in
  if x < 0 || x >= width then failwith "field";
  match places.spots.((width * (read_number text - 1)) + x) with
  | None -> failwith "field"
  | found -> found

let read_last places text =
  if peek text = '-' then (
    pass text;
    (None, None))
  else
    let newest = read_spot places text in
    if peek text = ',' then (
      pass text;
      (newest, read_spot places text))
    else (newest, None)

(* The three fields of a KFN, and the supply. *)
let read_position { spots; lows; highs } text =
  let { line; at } = text in
  let taken_low = ref 0 and taken_high = ref 0 and red_low = ref 0 and red_high = ref 0 in
  let place = ref 0 and skip = ref 0 and wrong = ref false in
  let at = ref at and length = String.length line in
  while !at < length && String.unsafe_get line !at <> ' ' do
    (match String.unsafe_get line !at with
    | '0' .. '9' as c -> skip := (10 * !skip) + Char.code c - 48
    | '/' ->
        skip := 0;
        place := (!place lor (width - 1)) + 1
    | ('r' | 'b') as c ->
        place := !place + !skip;
        skip := 0;
        let low = lows.(!place) and high = highs.(!place) in
        if low lor high = 0 then wrong := true;
        taken_low := !taken_low lor low;
        taken_high := !taken_high lor high;
        (* All bits for r, whose code has bit 4, none for b: a branch is often guessed wrongly. *)
        let red = -((Char.code c lsr 4) land 1) in
        red_low := !red_low lor (low land red);
        red_high := !red_high lor (high land red);
        incr place
    | '-' -> ()
    | _ -> wrong := true);
    incr at
  done;
  if !wrong then failwith "marbles";
  text.at <- !at;
  expect text ' ';
  let taken_low = !taken_low and taken_high = !taken_high in
  let mine_low, mine_high =
    match take text with
    | 'r' -> (!red_low, !red_high)
    | 'b' -> (taken_low lxor !red_low, taken_high lxor !red_high)
    | _ -> failwith "turn"
  in
  expect text ' ';
  let newest, old = read_last { spots; lows; highs } text in
  expect text ' ';
  let left = read_number text in
  if left < 0 then failwith "supply";
  { taken_low; taken_high; mine_low; mine_high; newest; old; left }

(* Print the marbles of a position as the rules see it, row by row. *)
let draw game position turn =
  let own, other = if turn = "r" then ('r', 'b') else ('b', 'r') in
  let x = ref 0 and y = ref 0 in
  List.iter2
    (fun f c ->
      while !y < f.row do
        print_char '\n';
        x := 0;
        incr y
      done;
      print_string (String.make (f.column - !x) ' ');
      print_char (match c with Empty -> '.' | Own -> own | Other -> other);
      x := f.column + 1)
    game.fields position.board;
  print_char '\n'

let read_step places line =
  let text = { line; at = 0 } in
  let kind = take text in
  expect text ' ';
  let q = read_position places text in
  let read_bound () =
    expect text ' ';
    read_number text
  in
  let step =
    match kind with
    | 'P' -> Play q
    | 'L' -> Le (q, read_bound ())
    | 'G' ->
        let bound = read_bound () in
        expect text ' ';
        Ge (q, bound, (Option.get (read_spot places text)).number)
    | _ -> failwith "step"
  in
  if not (is_end text) then failwith "step";
  step

let read_claim what value =
  match what with
  | "value" -> Margin (int_of_string value)
  | "outcome" -> (
      match value with "win" -> Win | "draw" -> Draw | "loss" -> Loss | _ -> failwith "outcome")
  | _ -> failwith "claim"

let words line = String.split_on_char ' ' line

let understood number f = try f () with Failure _ | Not_found | Invalid_argument _ ->
  raise (Bad (number, "is not understood"))

(* --- What has been shown of positions --- *)

(* A table with open addresses: at each place the mark of a position, 0 if it is empty, and what has
   been shown of it. At most half of the places are used. *)
type memory = {
  mutable marks : int array;
  mutable facts : Proved.shown array;
  mutable used : int;
}

let mark_of q =
  let mix h word =
    let h = (h lxor word) * 0x1e3779b97f4a7c15 in
    h lxor (h lsr 32)
  in
  let number = function None -> 64 | Some s -> s.number in
  let taken = mix q.taken_low q.taken_high and mine = q.mine_low lor (q.mine_high lsl 31) in
  mix (mix taken mine) ((((number q.newest * 65) + number q.old) * 65) + q.left) lor 1

let rec put marks facts at mark fact =
  let at = at land (Array.length marks - 1) in
  if marks.(at) <> 0 then put marks facts (at + 1) mark fact
  else (
    marks.(at) <- mark;
    facts.(at) <- fact)

let note memory fact =
  let { marks; facts; used } = memory in
  let size = Array.length marks in
  if 2 * used >= size then (
    memory.marks <- Array.make (2 * size) 0;
    memory.facts <- Array.make (2 * size) fact;
    for i = 0 to size - 1 do
      if marks.(i) <> 0 then put memory.marks memory.facts (marks.(i) lsr 1) marks.(i) facts.(i)
    done);
  memory.used <- used + 1;
  let mark = mark_of fact.Proved.about in
  put memory.marks memory.facts (mark lsr 1) mark fact;
  memory

let recall { marks; facts; _ } q kind =
  let mark = mark_of q in
  let rec look at =
    let at = at land (Array.length marks - 1) in
    if marks.(at) = 0 then None
    else if marks.(at) <> mark then look (at + 1)
    else
      let fact = facts.(at) in
      if (fact.what = kind || fact.what = Short) && packed_eqb q fact.about then Some fact
      else look (at + 1)
  in
  look (mark lsr 1)

let () =
  (* Hardly anything is thrown away: to look for it is not worth the time. *)
  Gc.set { (Gc.get ()) with space_overhead = 1_000_000 };
  let file = open_in Sys.argv.(1) in
  try
    let layout, scoring, depth =
      match words (input_line file) with
      | [ layout; scoring; depth ] ->
          (layout, scoring, understood 1 (fun () -> int_of_string depth))
      | _ -> raise (Bad (1, "is not LAYOUT SCORING D"))
    in
    let areas, chains =
      match scoring with
      | "0" -> (false, false)
      | "1" -> (true, false)
      | "2" -> (true, true)
      | "chains" -> (false, true)
      | _ -> raise (Bad (1, "has no scoring"))
    in
    let game = { fields = read_layout layout; areas_count = areas; chains_count = chains } in
    let places = understood 1 (fun () -> places_of game) in
    let second = input_line file in
    let root, turn, claim =
      understood 2 (fun () ->
          match words second with
          | [ what; marbles; turn; last; supply; value ] ->
              let line = String.concat " " [ marbles; turn; last; supply ] in
              let text = { line; at = 0 } in
              let root = read_position places text in
              if not (is_end text) then failwith "position";
              (root, turn, read_claim what value)
          | _ -> failwith "claim")
    in
    let count = ref 0 in
    let next memory =
      match input_line file with
      | exception End_of_file -> None
      | line ->
          incr count;
          Some (understood (!count + 2) (fun () -> read_step places line), memory)
    in
    let memory = { marks = [| 0 |]; facts = [||]; used = 1 } in
    match Proved.check game depth next recall note max_int memory root claim with
    | Holds ->
        Printf.printf "%s scoring %s\n%s\n" layout scoring second;
        draw game (meaning game root) turn;
        Printf.printf "holds: %d steps, checked in %.2f s\n" !count (Sys.time ())
    | Wrong -> raise (Bad (!count + 2, "does not follow"))
    | Not_shown -> raise (Bad (2, "is not what the steps show"))
  with
  | Bad (number, said) ->
      Printf.printf "does not hold: line %d %s\n" number said;
      exit 1
  | End_of_file ->
      print_endline "does not hold: line 2 is missing";
      exit 1
