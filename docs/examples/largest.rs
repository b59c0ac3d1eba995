// A bot in Rust: it plays on the largest panel that it may.
//
//     rustc -O largest.rs
//     kulami check "exec ./largest" --positions 100
//
// The arena sends the whole position before each move, as `position fen KFN`.

use std::io::{self, BufRead, Write};

// One letter a square: r, b or a point. Numbers count squares without a marble.
fn squares(row: &str) -> Vec<char> {
    let mut found = Vec::new();
    let mut count = 0;
    for letter in row.chars() {
        if let Some(digit) = letter.to_digit(10) {
            count = 10 * count + digit as usize;
            continue;
        }
        found.extend(std::iter::repeat('.').take(count));
        found.push(letter);
        count = 0;
    }
    found
}

fn place(name: &str) -> (usize, usize) {
    let column = name.as_bytes()[0] - b'a';
    (column as usize, name[1..].parse::<usize>().unwrap() - 1)
}

fn choose(kfn: &str) -> String {
    let words: Vec<&str> = kfn.split(' ').collect();
    let panels: Vec<Vec<char>> = words[0].split('/').map(|row| row.chars().collect()).collect();
    let board: Vec<Vec<char>> = match words[1] {
        "-" => Vec::new(),
        rows => rows.split('/').map(squares).collect(),
    };
    let newest: Vec<(usize, usize)> = match words[3] {
        "-" => Vec::new(),
        names => names.split(',').map(place).collect(),
    };
    let barred: Vec<char> = newest.iter().map(|&(x, y)| panels[y][x]).collect();
    let size = |panel: char| panels.iter().flatten().filter(|&&one| one == panel).count();

    let mut best = "none".to_string();
    let mut largest = 0;
    for (y, row) in panels.iter().enumerate() {
        for (x, &panel) in row.iter().enumerate() {
            let lies = board.get(y).and_then(|squares| squares.get(x)).unwrap_or(&'.');
            let in_line = newest.first().map_or(true, |&(column, line)| column == x || line == y);
            if panel == '.' || *lies != '.' || barred.contains(&panel) || !in_line {
                continue;
            }
            if size(panel) > largest {
                largest = size(panel);
                best = format!("{}{}", (b'a' + x as u8) as char, y + 1);
            }
        }
    }
    best
}

fn main() {
    let mut kfn = String::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.as_str() {
            "ugi" => println!("id name largest\nugiok"),
            "isready" => println!("readyok"),
            "quit" => break,
            other => {
                if let Some(text) = other.strip_prefix("position fen ") {
                    kfn = text.to_string();
                } else if other.starts_with("go") {
                    println!("bestmove {}", choose(&kfn));
                }
            }
        }
        io::stdout().flush().unwrap();
    }
}
