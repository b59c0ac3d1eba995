// A bot in Java: it plays on the largest panel that it may.
//
//     javac -d . largest.java
//     kulami check "exec java -cp . Largest" --positions 100
//
// The arena sends the whole position before each move, as `position fen KFN`.

import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

class Largest {
    // One letter a square: r, b or a point. Numbers count squares without a marble.
    static String squares(String row) {
        StringBuilder found = new StringBuilder();
        int count = 0;
        for (char letter : row.toCharArray()) {
            if (Character.isDigit(letter)) {
                count = 10 * count + letter - '0';
                continue;
            }
            found.append(".".repeat(count)).append(letter);
            count = 0;
        }
        return found.toString();
    }

    static String choose(String kfn) {
        String[] words = kfn.split(" ");
        String[] panels = words[0].split("/");
        String[] board = words[1].equals("-") ? new String[0] : words[1].split("/");
        String[] newest = words[3].equals("-") ? new String[0] : words[3].split(",");
        List<Character> barred = new ArrayList<>();
        for (String name : newest) {
            int row = Integer.parseInt(name.substring(1)) - 1;
            barred.add(panels[row].charAt(name.charAt(0) - 'a'));
        }

        String best = "none";
        long largest = 0;
        for (int y = 0; y < panels.length; y++) {
            String marbles = y < board.length ? squares(board[y]) : "";
            for (int x = 0; x < panels[y].length(); x++) {
                char panel = panels[y].charAt(x);
                String row = String.valueOf(y + 1);
                String name = (char) ('a' + x) + row;
                if (panel == '.' || barred.contains(panel)) continue;
                if (x < marbles.length() && marbles.charAt(x) != '.') continue;
                if (newest.length > 0 && newest[0].charAt(0) != name.charAt(0)
                        && !newest[0].substring(1).equals(row)) continue;
                long size = words[0].chars().filter(one -> one == panel).count();
                if (size > largest) {
                    best = name;
                    largest = size;
                }
            }
        }
        return best;
    }

    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        String fen = "position fen ";
        String kfn = "";
        while (lines.hasNextLine()) {
            String line = lines.nextLine();
            if (line.equals("ugi")) System.out.println("id name largest\nugiok");
            else if (line.equals("isready")) System.out.println("readyok");
            else if (line.startsWith(fen)) kfn = line.substring(fen.length());
            else if (line.startsWith("go")) System.out.println("bestmove " + choose(kfn));
            else if (line.equals("quit")) break;
        }
    }
}
