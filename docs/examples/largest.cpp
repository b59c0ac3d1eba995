// A bot in C++: it plays on the largest panel that it may.
//
//     g++ -std=c++17 -O2 largest.cpp -o largest
//     kulami check "exec ./largest" --positions 100
//
// The arena sends the whole position before each move, as `position fen KFN`.

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Rows = std::vector<std::string>;

static Rows split(const std::string &text, char between) {
    Rows parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, between);) parts.push_back(part);
    return parts;
}

// One letter a square: r, b or a point. Numbers count squares without a marble.
static Rows marbles(const std::string &text, size_t width, size_t height) {
    Rows rows = text == "-" ? Rows() : split(text, '/');
    rows.resize(height);
    for (std::string &row : rows) {
        std::string squares;
        for (size_t i = 0; i < row.size();) {
            if (!std::isdigit(row[i])) {
                squares += row[i++];
                continue;
            }
            size_t used = 0;
            squares.append(std::stoi(row.substr(i), &used), '.');
            i += used;
        }
        squares.resize(width, '.');
        row = squares;
    }
    return rows;
}

static std::string choose(const std::string &kfn) {
    std::istringstream words(kfn);
    std::string layout, lying, turn, last;
    words >> layout >> lying >> turn >> last;
    const Rows panels = split(layout, '/');
    size_t width = 0;
    for (const std::string &row : panels) width = std::max(width, row.size());
    const Rows board = marbles(lying, width, panels.size());
    std::map<char, int> size;
    for (const std::string &row : panels)
        for (char panel : row) ++size[panel];
    const Rows newest = last == "-" ? Rows() : split(last, ',');
    std::string barred;
    for (const std::string &name : newest) barred += panels[std::stoi(name.substr(1)) - 1][name[0] - 'a'];

    std::string best = "none";
    int largest = 0;
    for (size_t y = 0; y < panels.size(); ++y) {
        for (size_t x = 0; x < panels[y].size(); ++x) {
            const char panel = panels[y][x];
            const std::string name = char('a' + x) + std::to_string(y + 1);
            if (panel == '.' || board[y][x] != '.' || barred.find(panel) != std::string::npos) continue;
            if (!newest.empty() && newest[0][0] != name[0] && newest[0].substr(1) != name.substr(1)) continue;
            if (size[panel] > largest) best = name, largest = size[panel];
        }
    }
    return best;
}

int main() {
    const std::string fen = "position fen ";
    std::string kfn;
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "ugi") std::cout << "id name largest\nugiok" << std::endl;
        else if (line == "isready") std::cout << "readyok" << std::endl;
        else if (line.rfind(fen, 0) == 0) kfn = line.substr(fen.size());
        else if (line.rfind("go", 0) == 0) std::cout << "bestmove " << choose(kfn) << std::endl;
        else if (line == "quit") break;
    }
}
