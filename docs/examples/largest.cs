// A bot in C#: it plays on the largest panel that it may.
//
//     mcs -out:largest.exe largest.cs
//     kulami check "exec mono largest.exe" --positions 100
//
// The arena sends the whole position before each move, as `position fen KFN`.
// With .NET, put it into a project (`dotnet new console`) as its only file.

using System;
using System.Linq;
using System.Text;

static class Largest {
    // One letter a square: r, b or a point. Numbers count squares without a marble.
    static string Squares(string row) {
        var found = new StringBuilder();
        int count = 0;
        foreach (char letter in row) {
            if (char.IsDigit(letter)) {
                count = 10 * count + letter - '0';
                continue;
            }
            found.Append('.', count).Append(letter);
            count = 0;
        }
        return found.ToString();
    }

    static string Choose(string kfn) {
        string[] words = kfn.Split(' ');
        string[] panels = words[0].Split('/');
        string[] board = words[1] == "-" ? new string[0] : words[1].Split('/');
        string[] newest = words[3] == "-" ? new string[0] : words[3].Split(',');
        char[] barred = newest.Select(name => panels[int.Parse(name.Substring(1)) - 1][name[0] - 'a']).ToArray();

        string best = "none";
        int largest = 0;
        for (int y = 0; y < panels.Length; y++) {
            string marbles = y < board.Length ? Squares(board[y]) : "";
            for (int x = 0; x < panels[y].Length; x++) {
                char panel = panels[y][x];
                string row = (y + 1).ToString();
                string name = (char)('a' + x) + row;
                if (panel == '.' || barred.Contains(panel)) continue;
                if (x < marbles.Length && marbles[x] != '.') continue;
                if (newest.Length > 0 && newest[0][0] != name[0] && newest[0].Substring(1) != row) continue;
                int size = words[0].Count(one => one == panel);
                if (size > largest) {
                    best = name;
                    largest = size;
                }
            }
        }
        return best;
    }

    static void Main() {
        const string fen = "position fen ";
        string kfn = "";
        string line;
        while ((line = Console.ReadLine()) != null) {
            if (line == "ugi") Console.WriteLine("id name largest\nugiok");
            else if (line == "isready") Console.WriteLine("readyok");
            else if (line.StartsWith(fen)) kfn = line.Substring(fen.Length);
            else if (line.StartsWith("go")) Console.WriteLine("bestmove " + Choose(kfn));
            else if (line == "quit") break;
        }
    }
}
