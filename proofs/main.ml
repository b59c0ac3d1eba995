(* Reads what `kulami export FILE.kpf --text` has written, and asks the proved checker.

   What is here is not proved. What rests on it is that the root and the rules asked about are those
   of the first two lines, which the output repeats. A step that is read wrongly, or a table that tells
   wrongly where something is shown, can make the checker refuse what is true, and nothing else. *)

open Checker

exception Bad of int * string

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

let field_at fields x y = List.find (fun f -> f.column = x && f.row = y) fields

let read_field fields name =
  let x = Char.code name.[0] - Char.code 'a' in
  field_at fields x (int_of_string (String.sub name 1 (String.length name - 1)) - 1)

(* The three fields of a KFN, and the supply. *)
let read_position fields marbles turn last supply =
  let lying = Hashtbl.create 64 in
  let own = match turn with "r" -> 'r' | "b" -> 'b' | _ -> failwith "turn" in
  if marbles <> "-" then
    List.iteri
      (fun y row ->
        let x = ref 0 and number = ref 0 in
        String.iter
          (fun c ->
            match c with
            | '0' .. '9' -> number := (10 * !number) + Char.code c - 48
            | 'r' | 'b' ->
                x := !x + !number;
                number := 0;
                ignore (field_at fields !x y);
                Hashtbl.replace lying (!x, y) (if c = own then Own else Other);
                incr x
            | _ -> failwith "marbles")
          row)
      (String.split_on_char '/' marbles);
  let cell f = Option.value (Hashtbl.find_opt lying (f.column, f.row)) ~default:Empty in
  let newest, old =
    match String.split_on_char ',' last with
    | [ "-" ] -> (None, None)
    | [ one ] -> (Some (read_field fields one), None)
    | [ one; two ] -> (Some (read_field fields one), Some (read_field fields two))
    | _ -> failwith "last"
  in
  let supply = int_of_string supply in
  if supply < 0 then failwith "supply";
  { board = List.map cell fields; last = newest; before = old; supply }

(* All that a position is, as text: where to look for it. *)
let key p =
  let text = Buffer.create 80 in
  List.iter
    (fun c -> Buffer.add_char text (match c with Empty -> '.' | Own -> 'o' | Other -> 'x'))
    p.board;
  List.iter
    (function
      | None -> Buffer.add_char text '-'
      | Some f ->
          Buffer.add_char text (Char.chr f.column);
          Buffer.add_char text (Char.chr f.row))
    [ p.last; p.before ];
  Buffer.add_string text (string_of_int p.supply);
  Buffer.contents text

let number_of fields f =
  let rec go n = function
    | [] -> failwith "field"
    | g :: rest -> if g = f then n else go (n + 1) rest
  in
  go 0 fields

let read_step fields words =
  match words with
  | [ "P"; marbles; turn; last; supply ] -> Play (read_position fields marbles turn last supply)
  | [ "G"; marbles; turn; last; supply; bound; field ] ->
      Ge
        ( read_position fields marbles turn last supply,
          int_of_string bound,
          number_of fields (read_field fields field) )
  | [ "L"; marbles; turn; last; supply; bound ] ->
      Le (read_position fields marbles turn last supply, int_of_string bound)
  | _ -> failwith "step"

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

let () =
  let file = open_in Sys.argv.(1) in
  let begun = Sys.time () in
  try
    let layout, scoring, depth =
      match words (input_line file) with
      | [ layout; scoring; depth ] -> (layout, scoring, understood 1 (fun () -> int_of_string depth))
      | _ -> raise (Bad (1, "is not LAYOUT SCORING D"))
    in
    let fields = read_layout layout in
    let areas, chains =
      match scoring with
      | "0" -> (false, false)
      | "1" -> (true, false)
      | "2" -> (true, true)
      | "chains" -> (false, true)
      | _ -> raise (Bad (1, "has no scoring"))
    in
    let game = { fields; areas_count = areas; chains_count = chains } in
    let second = input_line file in
    let root, claim =
      understood 2 (fun () ->
          match words second with
          | [ what; marbles; turn; last; supply; value ] ->
              (read_position fields marbles turn last supply, read_claim what value)
          | _ -> failwith "claim")
    in
    let least = Hashtbl.create 100_000 and most = Hashtbl.create 100_000 in
    let steps = ref [] and count = ref 0 in
    (try
       while true do
         let line = input_line file in
         incr count;
         let step = understood (!count + 2) (fun () -> read_step fields (words line)) in
         (match step with
         | Play p ->
             Hashtbl.replace least (key p) !count;
             Hashtbl.replace most (key p) !count
         | Ge (p, _, _) -> Hashtbl.replace least (key p) !count
         | Le (p, _) -> Hashtbl.replace most (key p) !count);
         steps := step :: !steps
       done
     with End_of_file -> ());
    let read = Sys.time () in
    (* Where no step shows it, any number will do: positions are compared whole. *)
    let look table p = Option.value (Hashtbl.find_opt table (key p)) ~default:1 in
    match check game depth (look least) (look most) root claim (List.rev !steps) with
    | Holds ->
        let seconds = Sys.time () -. read in
        Printf.printf "%s scoring %s\n%s\nholds: %d steps, read in %.2f s, checked in %.2f s\n" layout
          scoring second !count (read -. begun) seconds
    | Wrong number -> raise (Bad (number + 2, "does not follow"))
    | Not_shown -> raise (Bad (2, "is not what the steps show"))
  with
  | Bad (number, said) ->
      Printf.printf "does not hold: line %d %s\n" number said;
      exit 1
  | End_of_file ->
      print_endline "does not hold: line 2 is missing";
      exit 1
