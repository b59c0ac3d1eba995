(* Reads what `kulami export FILE.kpf --text` has written, and asks the proved checker.

   What is here is not proved. What rests on it is that the root and the rules asked about are those
   of the first two lines, which the output repeats, and that the memory keeps what the checker has
   shown: OCaml lets no one else make it (`Proved`). A step that is read wrongly, or a memory that
   finds the wrong thing, can make the checker refuse what is true, and nothing else. *)

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

(* The spots by their columns and rows, and how wide a row of the table is. *)
let width = 64

type spots = { all : spot option array; lows : int array; highs : int array }

let spots_of game =
  let make x = Array.make (width * width) x in
  let spots = { all = make None; lows = make 0; highs = make 0 } in
  List.iter (fun s ->
    let at = (width * s.here.row) + s.here.column in
    spots.all.(at) <- Some s;
    spots.lows.(at) <- s.bit.low;
    spots.highs.(at) <- s.bit.high) (tables_of game).spots;
  spots

let spot_at spots x y = match spots.all.((width * y) + x) with None -> failwith "field" | found -> found

(* A line that is read from left to right. *)
type text = { line : string; mutable at : int }

let next_char text =
  let c = if text.at < String.length text.line then text.line.[text.at] else ' ' in
  text.at <- text.at + 1;
  c

let expect text c = if next_char text <> c then failwith "text"

let is_end text = text.at >= String.length text.line
let peek text = if is_end text then ' ' else text.line.[text.at]

let read_number text =
  let sign = if peek text = '-' then (text.at <- text.at + 1; -1) else 1 in
  let rec digits n =
    match peek text with
    | '0' .. '9' as c ->
        text.at <- text.at + 1;
        digits ((10 * n) + Char.code c - 48)
    | _ -> n
  in
  match peek text with '0' .. '9' -> sign * digits 0 | _ -> failwith "number"

let read_spot spots text =
  let x = Char.code (next_char text) - Char.code 'a' in
  spot_at spots x (read_number text - 1)

let read_last spots text =
  if peek text = '-' then (text.at <- text.at + 1; (None, None))
  else
    let newest = read_spot spots text in
    if peek text = ',' then (
      text.at <- text.at + 1;
      (newest, read_spot spots text))
    else (newest, None)

(* The three fields of a KFN, and the supply. *)
let read_position spots text =
  let { line; _ } = text in
  let taken_low = ref 0 and taken_high = ref 0 and red_low = ref 0 and red_high = ref 0 in
  let place = ref 0 and skip = ref 0 and at = ref text.at in
  let length = String.length line and { lows; highs; _ } = spots in
  let wrong = ref false in
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
          (* All bits if it is r, whose code has bit 4, unlike that of b. *)
          let red = - ((Char.code c lsr 4) land 1) in
          taken_low := !taken_low lor low;
          taken_high := !taken_high lor high;
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
    match next_char text with
    | 'r' -> (!red_low, !red_high)
    | 'b' -> (taken_low lxor !red_low, taken_high lxor !red_high)
    | _ -> failwith "turn"
  in
  expect text ' ';
  let newest, old = read_last spots text in
  expect text ' ';
  let left = read_number text in
  if left < 0 then failwith "supply";
  { taken_low; taken_high; mine_low; mine_high; newest; old; left }

let read_step spots line =
  let text = { line; at = 0 } in
  let kind = next_char text in
  expect text ' ';
  let q = read_position spots text in
  let bound () = expect text ' '; read_number text in
  let step = match kind with
  | 'P' -> Play q
  | 'L' -> Le (q, bound ())
  | 'G' -> let b = bound () in expect text ' ';
     (match read_spot spots text with Some s -> Ge (q, b, s.number) | None -> failwith "field")
  | _ -> failwith "step"
  in
  if not (is_end text) then failwith "more";
  step

let read_claim what value =
  match (what, value) with
  | "value", v -> Margin (int_of_string v)
  | "outcome", "win" -> Win
  | "outcome", "draw" -> Draw
  | "outcome", "loss" -> Loss
  | _ -> failwith "claim"

let words line = String.split_on_char ' ' line

let understood number f = try f () with Failure _ | Not_found | Invalid_argument _ ->
  raise (Bad (number, "is not understood"))

(* --- What has been shown of positions --- *)

(* A table with open addresses: of each place what it is mixed to, 0 if it is empty, and a fact. *)
type memory = { mutable marks : int array; mutable facts : Proved.shown array; mutable known : int }

let mark_of q =
  let place = function None -> 64 | Some s -> s.number in
  let mixed h word =
    let h = (h lxor word) * 0x1e3779b97f4a7c15 in
    h lxor (h lsr 32)
  in
  let places = (((place q.newest * 65) + place q.old) * 65) + q.left in
  mixed (mixed (mixed q.taken_low q.taken_high) (q.mine_low lor (q.mine_high lsl 31))) places lor 1

let rec put marks facts at mark fact =
  let at = at land (Array.length marks - 1) in
  if marks.(at) <> 0 then put marks facts (at + 1) mark fact
  else (
    marks.(at) <- mark;
    facts.(at) <- fact)

let note memory (fact : Proved.shown) =
  let size = Array.length memory.marks in
  if 2 * memory.known >= size then (
    let marks = Array.make (2 * size) 0 and facts = Array.make (2 * size) fact in
    Array.iteri (fun i mark -> if mark <> 0 then put marks facts (mark lsr 1) mark memory.facts.(i)) memory.marks;
    memory.marks <- marks;
    memory.facts <- facts);
  memory.known <- memory.known + 1;
  let mark = mark_of fact.about in
  put memory.marks memory.facts (mark lsr 1) mark fact;
  memory

let recall { marks; facts; _ } q kind =
  let mark = mark_of q in
  let rec look at =
    let at = at land (Array.length marks - 1) in
    if marks.(at) = 0 then None
    else
      let fact = facts.(at) in
      if marks.(at) = mark && (fact.what = kind || fact.what = Short) && packed_eqb q fact.about then Some fact
      else look (at + 1)
  in
  look (mark lsr 1)

let () =
  Gc.set { (Gc.get ()) with space_overhead = 1_000_000 };
  let file = open_in Sys.argv.(1) in
  let begun = Sys.time () in
  try
    let layout, scoring, depth =
      match words (input_line file) with
      | [ layout; scoring; depth ] -> (layout, scoring, understood 1 (fun () -> int_of_string depth))
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
    let spots = understood 1 (fun () -> spots_of game) in
    let second = input_line file in
    let root, claim =
      understood 2 (fun () ->
          match words second with
          | [ what; marbles; turn; last; supply; value ] ->
              (read_position spots { line = String.concat " " [ marbles; turn; last; supply ]; at = 0 },
               read_claim what value)
          | _ -> failwith "claim")
    in
    let count = ref 0 in
    let next memory =
      match input_line file with
      | exception End_of_file -> None
      | line ->
          incr count;
          Some (understood (!count + 2) (fun () -> read_step spots line), memory)
    in
    let memory = { marks = Array.make 1 0; facts = [||]; known = 1 } in
    match Proved.check game depth next recall note max_int memory root claim with
    | Holds ->
        Printf.printf "%s scoring %s\n%s\nholds: %d steps, checked in %.2f s\n" layout scoring second
          !count
          (Sys.time () -. begun)
    | Wrong -> raise (Bad (!count + 2, "does not follow"))
    | Not_shown -> raise (Bad (2, "is not what the steps show"))
  with
  | Bad (number, said) ->
      Printf.printf "does not hold: line %d %s\n" number said;
      exit 1
  | End_of_file ->
      print_endline "does not hold: line 2 is missing";
      exit 1
