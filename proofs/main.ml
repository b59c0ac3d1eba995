(* Reads the folder that `kulami export FILE.kpf --plies FOLDER` has written, and has the proved
   checker check it, part by part, with several processes.

   What is here is not proved. The theorem rests on three things that it does:

   - the layout, the scoring, the claim and the root are those of the first two lines of claim.txt.
     The output repeats them, and draws the root as the rules see it;
   - `read` says the same of an entry whenever it is asked, and `seek` of a position. They read files
     and nothing else. These must not change meanwhile; their times are compared at the end;
   - a part is noted only if `check_part` has accepted it, in this run, or in an earlier one of the same
     program on the same files. A note of an earlier run is a line of FOLDER/checked.

   That the parts noted are all there is, is proved. An entry that is read wrongly, or an index that
   finds the wrong one, can make the checker refuse what is true, and nothing else. *)

open Checker

exception Bad of string

let bad format = Printf.ksprintf (fun said -> raise (Bad said)) format

(* --- The claim --- *)

(* A number as people write it. OCaml reads more, and 0x7fffffffffffffff as -1. *)
let decimal text =
  let n = int_of_string text in
  if string_of_int n <> text then failwith "number";
  n

(* The rules ask for panels in one piece; the theorem does not. *)
let require_whole fields =
  let touches f g = f.panel = g.panel && abs (f.column - g.column) + abs (f.row - g.row) = 1 in
  let rec spread reached = function
    | [] -> reached
    | f :: rest ->
        let found = List.filter (fun g -> touches f g && not (List.memq g reached)) fields in
        spread (found @ reached) (found @ rest)
  in
  List.iter
    (fun f ->
      let panel = List.filter (fun g -> g.panel = f.panel) fields in
      if List.length (spread [ f ] [ f ]) <> List.length panel then
        bad "panel %c is in several pieces" (Char.chr f.panel))
    fields

(* Names of panels are letters and digits. What is printed has no others, such as a terminal obeys. *)
let read_layout text =
  let fields = ref [] in
  List.iteri
    (fun y row ->
      String.iteri
        (fun x c ->
          match c with
          | '.' -> ()
          | 'A' .. 'Z' | 'a' .. 'z' | '0' .. '9' ->
              fields := { column = x; row = y; panel = Char.code c } :: !fields
          | _ -> failwith "layout")
        row)
    (String.split_on_char '/' text);
  require_whole !fields;
  List.rev !fields

let numbers text = List.map decimal (String.split_on_char ' ' text)

let read_spot spots text =
  let x = Char.code text.[0] - Char.code 'a' in
  let y = decimal (String.sub text 1 (String.length text - 1)) - 1 in
  Some (List.find (fun s -> s.here.column = x && s.here.row = y) spots)

(* The three fields of a KFN, and the supply. *)
let read_position spots marbles turn last supply =
  let red = ref [] and black = ref [] and x = ref 0 and y = ref 0 and skip = ref 0 in
  let put side =
    x := !x + !skip;
    skip := 0;
    side := List.find (fun s -> s.here.column = !x && s.here.row = !y) spots :: !side;
    incr x
  in
  String.iter
    (function
      | '0' .. '9' as c when !skip < 100 -> skip := (10 * !skip) + Char.code c - 48
      | 'r' -> put red
      | 'b' -> put black
      | '/' ->
          x := 0;
          skip := 0;
          incr y
      | _ -> failwith "marbles")
    (if marbles = "-" then "" else marbles);
  let own, other =
    match turn with "r" -> (!red, !black) | "b" -> (!black, !red) | _ -> failwith "turn"
  in
  let words side =
    List.fold_left (fun (low, high) s -> (low lor s.bit.low, high lor s.bit.high)) (0, 0) side
  in
  let mine_low, mine_high = words own and other_low, other_high = words other in
  let newest, old =
    match if last = "-" then [] else String.split_on_char ',' last with
    | [] -> (None, None)
    | [ newest ] -> (read_spot spots newest, None)
    | [ newest; old ] -> (read_spot spots newest, read_spot spots old)
    | _ -> failwith "last"
  in
  let left = decimal supply in
  if left < 0 then failwith "supply";
  {
    taken_low = mine_low lor other_low;
    taken_high = mine_high lor other_high;
    mine_low;
    mine_high;
    newest;
    old;
    left;
  }

let read_claim what value =
  match (what, value) with
  | "value", _ -> Margin (decimal value)
  | "outcome", "win" -> Win
  | "outcome", "draw" -> Draw
  | "outcome", "loss" -> Loss
  | _ -> failwith "claim"

let read_game layout scoring =
  let areas_count, chains_count =
    match scoring with
    | "0" -> (false, false)
    | "1" -> (true, false)
    | "2" -> (true, true)
    | "chains" -> (false, true)
    | _ -> failwith "scoring"
  in
  { fields = read_layout layout; areas_count; chains_count }

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

(* --- The entries of a ply: a file in memory, six words for each of them ---

     0 1   marbles of the side to move, fields 0 to 31 and those from 32 on
     2 3   marbles of the other side
     4     the least and the most, 16 bits each
     5     newest marble, the one before it, marks (1: played out), chosen field, 8 bits each *)

type words = (int32, Bigarray.int32_elt, Bigarray.c_layout) Bigarray.Array1.t

let word (file : words) i = Int32.to_int file.{i} land 0xffffffff

(* The number in the lower 16 bits of a word, which may be negative. *)
let signed half = ((half land 0xffff) lxor 0x8000) - 0x8000

let read_entry (file : words) spots left i =
  let own_low = word file (6 * i) and own_high = word file ((6 * i) + 1) in
  let other_low = word file ((6 * i) + 2) and other_high = word file ((6 * i) + 3) in
  let bounds = word file ((6 * i) + 4) and places = word file ((6 * i) + 5) in
  {
    about =
      {
        taken_low = own_low lor other_low;
        taken_high = own_high lor other_high;
        mine_low = own_low;
        mine_high = own_high;
        newest = spots.(places land 255);
        old = spots.((places lsr 8) land 255);
        left;
      };
    least = signed bounds;
    most = signed (bounds lsr 16);
    is_played = (places lsr 16) land 1 = 1;
    chosen = places lsr 24;
  }

(* --- Where a position is among the entries of a ply ---

   A table with open addresses, at most two thirds full. A place has the number of an entry, counted
   from 1, in its lower bits, and bits of the hash in the others; 0 if it is empty. *)

type index = { places : words; size : int; bits : int }

let hash_of own_low own_high other_low other_high last_two =
  let own = own_low lxor (own_high lsl 31) and other = other_low lxor (other_high lsl 31) in
  let h = own * 0x1e3779b97f4a7c15 in
  let h = (h lxor (h lsr 32) lxor other) * 0x02b2ae3d27d4eb4f in
  let h = (h lxor (h lsr 29) lxor last_two) * 0x16e8feb86659fd93 in
  h lxor (h lsr 32)

(* A place: the upper 31 bits of the hash, in proportion. *)
let place_of size hash = (((hash lsr 31) land 0x7fffffff) * size) lsr 31
let next_place size at = if at + 1 = size then 0 else at + 1

(* The bits of the hash that a place has room for. *)
let mark_of bits hash = (hash lsl bits) land 0xffffffff

let index_of (file : words) count =
  let rec bits_of n = if n = 0 then 0 else 1 + bits_of (n lsr 1) in
  let bits = bits_of count and size = 8 + (count * 8 / 5) in
  let places : words = Bigarray.(Array1.create int32 c_layout size) in
  Bigarray.Array1.fill places 0l;
  for i = 0 to count - 1 do
    let hash =
      hash_of
        (word file (6 * i))
        (word file ((6 * i) + 1))
        (word file ((6 * i) + 2))
        (word file ((6 * i) + 3))
        (word file ((6 * i) + 5) land 0xffff)
    in
    let at = ref (place_of size hash) in
    while word places !at <> 0 do
      at := next_place size !at
    done;
    places.{!at} <- Int32.of_int (mark_of bits hash lor (i + 1))
  done;
  { places; size; bits }

let number = function None -> 64 | Some s -> s.number

let seek_in (file : words) { places; size; bits } q =
  let other_low = q.taken_low lxor q.mine_low and other_high = q.taken_high lxor q.mine_high in
  let last_two = number q.newest lor (number q.old lsl 8) in
  let hash = hash_of q.mine_low q.mine_high other_low other_high last_two in
  let mark = mark_of bits hash and mask = (1 lsl bits) - 1 in
  let rec look at =
    let there = word places at in
    if there = 0 then None
    else
      let i = (there land mask) - 1 in
      if
        there land lnot mask = mark
        && word file (6 * i) = q.mine_low
        && word file ((6 * i) + 2) = other_low
        && word file ((6 * i) + 1) = q.mine_high
        && word file ((6 * i) + 3) = other_high
        && word file ((6 * i) + 5) land 0xffff = last_two
      then Some i
      else look (next_place size at)
  in
  look (place_of size hash)

(* --- The folder --- *)

let inside folder name = Filename.concat folder name
let ply_name k = string_of_int k ^ ".ply"

let lines_of path =
  let file = open_in path in
  let rec all lines =
    match input_line file with line -> all (line :: lines) | exception End_of_file -> List.rev lines
  in
  let lines = all [] in
  close_in file;
  lines

(* What tells the files of a folder from others, and this program, too. Whoever writes to a file, or
   puts another one in its place, changes its time of change. *)
let mark_of_files folder head counts =
  let mark name =
    if not (Sys.file_exists (inside folder name)) then bad "%s is missing" name;
    let found = Unix.stat (inside folder name) in
    Printf.sprintf "%s %d %d %.6f %.6f" name found.st_ino found.st_size found.st_mtime found.st_ctime
  in
  let files = List.mapi (fun k _ -> mark (ply_name k)) counts in
  let program = Digest.to_hex (Digest.file Sys.executable_name) in
  Digest.to_hex (Digest.string (String.concat "\n" (program :: head :: mark "claim.txt" :: files)))

let map_ply folder k count : words =
  let opened = Unix.openfile (inside folder (ply_name k)) [ O_RDONLY ] 0 in
  let size = (Unix.fstat opened).st_size in
  if size <> 24 * count then
    bad "%s has %d bytes, and %d claims take %d" (ply_name k) size count (24 * count);
  let mapped = Unix.map_file opened Bigarray.int32 Bigarray.c_layout false [| 6 * count |] in
  Unix.close opened;
  Bigarray.array1_of_genarray mapped

(* --- Parts that have been accepted --- *)

type notes = { accepted : (part, unit) Hashtbl.t; journal : out_channel }

let line_of { ply; first; many } = Printf.sprintf "%d %d %d" ply first many

(* Those of earlier runs, and the file with room for more. If it is about other files, it begins
   anew. *)
let notes_in folder mark =
  let path = inside folder "checked" in
  let accepted = Hashtbl.create 1000 in
  (match if Sys.file_exists path then lines_of path else [] with
  | first :: lines when first = mark ->
      List.iter
        (fun line ->
          match numbers line with
          | [ ply; first; many ] -> Hashtbl.replace accepted { ply; first; many } ()
          | _ | (exception Failure _) -> () (* The rest of a line, cut short by a kill. *))
        lines
  | _ -> ());
  let journal = open_out (path ^ ".new") in
  output_string journal (mark ^ "\n");
  Hashtbl.iter (fun part () -> output_string journal (line_of part ^ "\n")) accepted;
  flush journal;
  Sys.rename (path ^ ".new") path;
  { accepted; journal }

let note { accepted; journal } part =
  Hashtbl.replace accepted part ();
  output_string journal (line_of part ^ "\n");
  flush journal

(* --- Several processes --- *)

(* Check parts, of which there are at most 2^10: their numbers fit into a pipe, even one of a page,
   and each process takes the next from there. `accept` is told of each part that is accepted, in
   any order. *)
let check_all check threads todo accept =
  let parts = Array.of_list todo in
  let queue, enqueue = Unix.pipe () and results, report = Unix.pipe () in
  Array.iteri
    (fun i _ ->
      let number = Bytes.create 4 in
      Bytes.set_int32_le number 0 (Int32.of_int i);
      assert (Unix.write enqueue number 0 4 = 4))
    parts;
  Unix.close enqueue;
  let work () =
    Unix.close results;
    let number = Bytes.create 4 in
    while Unix.read queue number 0 4 = 4 do
      let i = Int32.to_int (Bytes.get_int32_le number 0) in
      let wrong = match check parts.(i) with None -> -1 | Some at -> at in
      let line = Bytes.of_string (Printf.sprintf "%d %d\n" i wrong) in
      assert (Unix.write report line 0 (Bytes.length line) = Bytes.length line)
    done
  in
  let start _ =
    match Unix.fork () with
    | 0 ->
        (try work () with _ -> Unix._exit 2);
        Unix._exit 0
    | child -> child
  in
  let children = List.init (min threads (Array.length parts)) start in
  Unix.close queue;
  Unix.close report;
  let told = Unix.in_channel_of_descr results in
  let rec listen left =
    match numbers (input_line told) with
    | [ i; -1 ] ->
        accept parts.(i);
        listen (left - 1)
    | [ i; wrong ] ->
        List.iter (fun child -> Unix.kill child Sys.sigkill) children;
        bad "claim %d of ply %d does not follow" wrong parts.(i).ply
    | _ -> failwith "report"
    | exception End_of_file -> if left > 0 then
        failwith
          "a process has ended before its work, perhaps for want of memory: give the same command \
           again, with fewer --threads"
  in
  listen (Array.length parts);
  close_in told;
  List.iter (fun child -> ignore (Unix.waitpid [] child)) children

let shown = Unix.isatty Unix.stderr

let show format =
  Printf.ksprintf (fun said -> if shown then Printf.eprintf "\r%s\027[K%!" said) format

(* --- All of it --- *)

type task = {
  head : string;  (* the first two lines *)
  game : game;
  root : packed;
  turn : string;
  claim : claim;
  counts : int list;
}

let read_task folder =
  match lines_of (inside folder "claim.txt") with
  | [ first; second; third ] -> (
      try
        match (String.split_on_char ' ' first, String.split_on_char ' ' second) with
        | [ layout; scoring; depth ], [ what; marbles; turn; last; supply; value ] ->
            ignore (decimal depth);
            let game = read_game layout scoring in
            let root = read_position (spots_of game) marbles turn last supply in
            let head = first ^ "\n" ^ second in
            { head; game; root; turn; claim = read_claim what value; counts = numbers third }
        | _ -> failwith "words"
      with Failure _ | Not_found | Invalid_argument _ -> bad "claim.txt is not understood")
  | _ -> bad "claim.txt has not three lines"

let check_folder threads folder =
  let begun = Unix.gettimeofday () in
  let { head; game; root; turn; claim; counts } = read_task folder in
  if List.exists (fun count -> count < 1 || count >= 1 lsl 31) counts then
    bad "a ply has no claims, or too many";
  let mark = mark_of_files folder head counts in
  let notes = notes_in folder mark in
  let before = Hashtbl.length notes.accepted in
  let is_noted = Hashtbl.mem notes.accepted in
  let spots = Array.make 256 None in
  List.iter (fun s -> spots.(s.number land 255) <- Some s) (spots_of game);
  let plies = Array.of_list counts in
  let depth = Array.length plies and total = List.fold_left ( + ) 0 counts in
  let size = max (1 lsl 12) (Array.fold_left max 0 plies lsr 10) in
  let all = parts size 0 counts in
  (* Two plies are in memory at a time, and an index of the second. *)
  let nothing : words = Bigarray.(Array1.create int32 c_layout 0) in
  let no_index = (-1, index_of nothing 0) in
  let files = Array.make depth nothing and index = ref no_index in
  let enter k = if k < depth && files.(k) == nothing then files.(k) <- map_ply folder k plies.(k) in
  let enter_with_index k =
    enter k;
    if k < depth then index := (k, index_of files.(k) plies.(k))
  in
  let leave k =
    files.(k) <- nothing;
    index := no_index;
    Gc.full_major ()
  in
  let read k i = read_entry files.(k) spots (max 0 (root.left - k)) i in
  let seek k q = if fst !index = k then seek_in files.(k) (snd !index) q else None in
  let check = check_part game counts read seek in
  let checked = ref 0 in
  let pass k part =
    checked := !checked + part.many;
    show "ply %d of %d: %d of %d claims" k depth !checked total
  in
  for k = 0 to depth - 1 do
    let here = List.filter (fun part -> part.ply = k) all in
    let known, todo = List.partition is_noted here in
    List.iter (pass k) known;
    if todo <> [] then (
      enter k;
      enter_with_index (k + 1);
      check_all check threads todo (fun part ->
          note notes part;
          pass k part));
    leave k
  done;
  enter_with_index 0;
  if not (conclude game counts read seek size is_noted root claim) then
    bad "the first ply does not claim this";
  if mark_of_files folder head counts <> mark then bad "the files have changed meanwhile";
  show "";
  print_endline head;
  draw game (meaning game root) turn;
  Printf.printf "holds: %d claims in %d parts, %schecked in %.2f s\n" total (List.length all)
    (if before > 0 then Printf.sprintf "%d of them before, " before else "")
    (Unix.gettimeofday () -. begun)

let () =
  let threads, folder =
    match Array.to_list Sys.argv with
    | [ _; folder ] -> (Some 1, folder)
    | [ _; "--threads"; n; folder ] -> (int_of_string_opt n, folder)
    | _ -> (None, "")
  in
  let fail code said =
    show "";
    (if code = 1 then print_endline else prerr_endline) said;
    exit code
  in
  match threads with
  | Some threads when 0 < threads && threads <= 256 -> (
      try check_folder threads folder with
      | Bad said -> fail 1 ("does not hold: " ^ said)
      | Unix.Unix_error (fault, _, name) -> fail 2 (name ^ ": " ^ Unix.error_message fault)
      | Sys_error said | Failure said -> fail 2 said
      | Out_of_memory -> fail 2 "not enough memory: free some, and give the same command again")
  | _ -> fail 2 "proved_checker [--threads N] FOLDER: N is 1 to 256"
