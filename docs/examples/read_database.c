/* Looks positions up in a solved database of Kulami: one file of C99, and nothing else.
 *
 *     cc -O2 -o read_database read_database.c
 *     ./read_database FILE.kdb "AABB/AABB/CCDD r b a1"    its margin, and that of each legal field
 *     ./read_database FILE.kdb - < LINES                  the margin of each position, or `absent`
 *
 * Databases without keys are read as well; one may answer a position that was never in it, wrongly.
 * Written from docs/file-format.md alone; docs/notation.md describes the positions (KFN). Numbers
 * are put together byte by byte, so it works on machines of either byte order. Every part of the
 * file is compared with its checksum before it is used. The exit code is 1 if the file or a
 * position is wrong, or the position is absent.
 *
 * Margins are for the side to move. Fields are numbered row by row, gaps skipped; panels by their
 * first fields; a set of fields is a mask.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, FIELDS = 64, NO_PANEL = 64, BLOCK = 64, LONGEST_WORD = 12, ABSENT = 1 << 20 };

static void fail(const char *what)
{
    fprintf(stderr, "read_database: %s\n", what);
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *made = calloc(count ? count : 1, size);
    if (!made) fail("not enough memory");
    return made;
}

static int members(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t number = 0;
    while (bytes--) number = number << 8 | at[bytes];
    return number;
}

/* SHA-256 (FIPS 180-4) ---------------------------------------------------------------------- */

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void mix(uint32_t *h, const uint8_t *chunk)
{
    uint32_t w[64], v[8];
    int i;
    for (i = 0; i < 16; i++)
        w[i] = (uint32_t)chunk[4 * i] << 24 | (uint32_t)chunk[4 * i + 1] << 16
               | (uint32_t)chunk[4 * i + 2] << 8 | chunk[4 * i + 3];
    for (; i < 64; i++)
        w[i] = (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10) + w[i - 7]
               + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 16];
    memcpy(v, h, sizeof v);
    for (i = 0; i < 64; i++) {
        uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25))
                       + ((v[4] & v[5]) ^ (~v[4] & v[6])) + ROUND[i] + w[i];
        uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22))
                       + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (i = 0; i < 8; i++) h[i] += v[i];
}

/* The checksum of one text followed by another. */
static void sha256(const uint8_t *a, size_t an, const uint8_t *b, size_t bn, uint8_t *digest)
{
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint64_t bits = 8 * (uint64_t)(an + bn);
    uint8_t chunk[64];
    size_t held = 0, i;
    for (i = 0; i < an + bn; i++) {
        chunk[held++] = i < an ? a[i] : b[i - an];
        if (held == 64) {
            mix(h, chunk);
            held = 0;
        }
    }
    chunk[held++] = 0x80;
    if (held > 56) {
        memset(chunk + held, 0, 64 - held);
        mix(h, chunk);
        held = 0;
    }
    memset(chunk + held, 0, 56 - held);
    for (i = 0; i < 8; i++) chunk[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    mix(h, chunk);
    for (i = 0; i < 32; i++) digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

/* JSON, as much of it as headers have ------------------------------------------------------- */

typedef struct Json {
    char kind;              /* one of { [ " 0 t f n */
    int negative;
    uint64_t number;        /* without its sign */
    char *text;             /* of a string */
    const char *key;        /* where it is a member of an object */
    struct Json *first, *next;
} Json;

static const char *at;      /* what is still to be parsed */

static void expect(char wanted)
{
    while (*at == ' ') at++;
    if (*at != wanted) fail("the header makes no sense");
    at++;
}

static int is_next(char wanted)
{
    while (*at == ' ') at++;
    return *at == wanted;
}

static char *string(void)
{
    const char *begin;
    char *made;
    expect('"');
    for (begin = at; *at && *at != '"' && *at != '\\';) at++;
    made = room((size_t)(at - begin) + 1, 1);
    memcpy(made, begin, (size_t)(at - begin));
    expect('"');
    return made;
}

static Json *parsed(int depth)
{
    Json *made = room(1, sizeof *made), **end = &made->first;
    const char *word;
    if (depth > 8) fail("the header makes no sense");
    while (*at == ' ') at++;
    made->kind = *at;
    if (*at == '{' || *at == '[') {
        char close = *at == '{' ? '}' : ']';
        for (at++; !is_next(close); end = &(*end)->next) {
            char *key = NULL;
            if (made->first) expect(',');
            if (made->kind == '{') {
                key = string();
                expect(':');
            }
            *end = parsed(depth + 1);
            (*end)->key = key;
        }
        at++;
    } else if (*at == '"') {
        made->text = string();
    } else if (*at == '-' || (*at >= '0' && *at <= '9')) {
        made->kind = '0';
        if (*at == '-') {
            made->negative = 1;
            at++;
        }
        if (*at < '0' || *at > '9') fail("the header makes no sense");
        for (; *at >= '0' && *at <= '9'; at++) {
            if (made->number > (UINT64_MAX - (uint64_t)(*at - '0')) / 10)
                fail("the header has a number that is too large");
            made->number = 10 * made->number + (uint64_t)(*at - '0');
        }
    } else {
        word = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
        if (strncmp(at, word, strlen(word))) fail("the header makes no sense");
        at += strlen(word);
    }
    return made;
}

/* A member of an object, NULL if there is none. */
static Json *find(const Json *object, const char *key)
{
    Json *member;
    for (member = object->first; member; member = member->next)
        if (member->key && !strcmp(member->key, key)) break;
    return member;
}

static Json *get(const Json *object, const char *key, char kind)
{
    Json *member = find(object, key);
    if (!member || (member->kind != kind && kind != '?')) fail("the header lacks a key");
    return member;
}

static uint64_t natural(const Json *value, uint64_t most)
{
    if (!value || value->kind != '0' || value->negative || value->number > most)
        fail("the header has a number that cannot be");
    return value->number;
}

static int length(const Json *list)
{
    const Json *member;
    int count = 0;
    for (member = list->first; member; member = member->next) count++;
    return count;
}

/* The board ----------------------------------------------------------------------------------- */

typedef struct {
    uint64_t own, other;    /* marbles of the side to move, and of the other */
    int last, before;       /* fields of the last two marbles, -1 where they are not known */
} Position;

typedef char Rows[SIDE][SIDE + 1];

static Rows rows;
static int width, height, fields, panels, column[FIELDS], row[FIELDS], number[SIDE][SIDE];
static int panel_of[FIELDS];
static uint64_t panel[FIELDS], cross[FIELDS];

/* Splits a layout into rows of one width; whether it is one. */
static int split(const char *text, size_t size, Rows into, int *wide, int *high)
{
    size_t i;
    int x = 0, y = 0;
    memset(into, 0, sizeof(Rows));
    *wide = 0;
    for (i = 0; i < size; i++) {
        if (text[i] == '/') {
            y++;
            x = 0;
        } else {
            into[y][x++] = text[i];
            if (x > *wide) *wide = x;
        }
        if (y >= SIDE || x > SIDE) return 0;
    }
    *high = y + 1;
    for (y = 0; y < *high; y++)
        for (x = (int)strlen(into[y]); x < *wide; x++) into[y][x] = '.';
    return 1;
}

static void set_up_board(const char *layout)
{
    int panel_named[256], x, y, f, g;
    memset(panel_named, -1, sizeof panel_named);
    if (!split(layout, strlen(layout), rows, &width, &height)) fail("the layout is too large");
    for (y = 0; y < height; y++)
        for (x = 0; x < width; x++) {
            int *named = &panel_named[(uint8_t)rows[y][x]];
            number[y][x] = -1;
            if (rows[y][x] == '.') continue;
            if (fields == FIELDS) fail("the layout is too large");
            if (*named < 0) *named = panels++;
            column[fields] = x;
            row[fields] = y;
            panel_of[fields] = *named;
            panel[*named] |= (uint64_t)1 << fields;
            number[y][x] = fields++;
        }
    for (f = 0; f < fields; f++)
        for (g = 0; g < fields; g++)
            if ((column[f] == column[g] || row[f] == row[g]) && panel_of[f] != panel_of[g])
                cross[f] |= (uint64_t)1 << g;
}

static uint64_t free_fields(const Position *p)
{
    return (UINT64_MAX >> (FIELDS - fields)) & ~(p->own | p->other);
}

/* The legal fields, whether or not marbles are left. */
static uint64_t legal_fields(const Position *p)
{
    uint64_t found = free_fields(p);
    if (p->last >= 0) found &= cross[p->last];
    if (p->before >= 0) found &= ~panel[panel_of[p->before]];
    return found;
}

/* The free fields that can be reached from the legal ones. */
static uint64_t live_fields(const Position *p)
{
    uint64_t found = legal_fields(p), before = 0;
    int f;
    while (found != before) {
        before = found;
        for (f = 0; f < fields; f++)
            if (before >> f & 1) found |= cross[f] & free_fields(p);
    }
    return found;
}

static int lead_on(uint64_t on, uint64_t first, uint64_t second)
{
    return members(on & first) - members(on & second);
}

static int sign(int x) { return (x > 0) - (x < 0); }

static int holds(uint64_t set, int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height && number[y][x] >= 0
           && (set >> number[y][x] & 1);
}

/* Takes the area out of a set that a square belongs to; its size. */
static int area(uint64_t *set, int x, int y)
{
    if (!holds(*set, x, y)) return 0;
    *set &= ~((uint64_t)1 << number[y][x]);
    return 1 + area(set, x + 1, y) + area(set, x - 1, y) + area(set, x, y + 1)
           + area(set, x, y - 1);
}

static int largest_area(uint64_t set)
{
    int f, size, largest = 0;
    for (f = 0; f < fields; f++)
        if ((size = area(&set, column[f], row[f])) > largest) largest = size;
    return largest;
}

/* The summed lengths of all straight runs of five or more. */
static int chains(uint64_t set)
{
    static const int STEP[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    int f, d, run, total = 0;
    for (f = 0; f < fields; f++)
        for (d = 0; d < 4; d++) {
            int over = STEP[d][0], down = STEP[d][1], x = column[f], y = row[f];
            if (holds(set, x - over, y - down)) continue;
            for (run = 0; holds(set, x + run * over, y + run * down);) run++;
            if (run >= 5) total += run;
        }
    return total;
}

/* KFN ----------------------------------------------------------------------------------------- */

static const char *read_marbles(const char *text, size_t size, uint64_t *red, uint64_t *black)
{
    int x = 0, y = 0;
    size_t i;
    *red = *black = 0;
    if (size == 1 && *text == '-') return NULL;
    for (i = 0; i < size; i++) {
        int run = 0;
        if (text[i] == '/') {
            x = 0;
            if (++y >= height) return "marbles in rows that the layout does not have";
        } else if (text[i] >= '0' && text[i] <= '9') {
            for (; i < size && text[i] >= '0' && text[i] <= '9'; i++)
                if (run < 100) run = 10 * run + text[i] - '0';
            i--;
            x += run;
        } else if ((text[i] == 'r' || text[i] == 'b') && x < width && number[y][x] >= 0) {
            *(text[i] == 'r' ? red : black) |= (uint64_t)1 << number[y][x++];
        } else {
            return "marbles where there is no field";
        }
        if (x > width) return "a row of marbles that is too wide";
    }
    return NULL;
}

/* Reads the name of a field, as far as a comma or the end. */
static int read_field(const char **text, const char *end)
{
    int x = **text - 'a', y = 0;
    const char *digits = ++*text;
    for (; *text < end && **text != ','; ++*text) {
        if (**text < '0' || **text > '9' || y > SIDE || (y == 0 && **text == '0')) return -1;
        y = 10 * y + **text - '0';
    }
    if (*text == digits || x < 0 || x >= width || y < 1 || y > height) return -1;
    return number[y - 1][x];
}

/* Reads a position; what is wrong with it, NULL if nothing is. Another layout is `absent`. */
static const char *read_position(const char *text, Position *p, int marbles, int *absent)
{
    const char *part[4], *end[4], *wrong;
    uint64_t red, black;
    Rows other_rows;
    int i, wide, high, counted[2];
    for (i = 0; i < 4; i++) {
        part[i] = text;
        while (*text && !strchr(" \r\n", *text)) text++;
        end[i] = text;
        if (end[i] == part[i] || (i < 3 && *text != ' ')) return "a position has four parts";
        if (i < 3) text++;
    }
    if (text[strspn(text, " \r\n")]) return "a position has four parts";
    if (!split(part[0], (size_t)(end[0] - part[0]), other_rows, &wide, &high))
        return "the layout is too large";
    if ((*absent = memcmp(rows, other_rows, sizeof rows) != 0)) return NULL;
    if ((wrong = read_marbles(part[1], (size_t)(end[1] - part[1]), &red, &black))) return wrong;
    if (end[2] - part[2] != 1 || !strchr("rb", *part[2])) return "the side to move is r or b";
    p->own = *part[2] == 'r' ? red : black;
    p->other = *part[2] == 'r' ? black : red;
    p->last = p->before = -1;
    counted[0] = members(p->own);
    counted[1] = members(p->other);
    if (counted[1] < counted[0] || counted[1] > counted[0] + 1 || counted[1] > marbles)
        return "the numbers of marbles cannot be";
    if (end[3] - part[3] == 1 && *part[3] == '-')
        return counted[1] ? "the last marbles are missing" : NULL;
    p->last = read_field(&part[3], end[3]);
    if (p->last < 0 || !(p->other >> p->last & 1)) return "the newest marble is not there";
    if (part[3] == end[3]) return NULL;
    part[3]++;
    p->before = part[3] < end[3] ? read_field(&part[3], end[3]) : -1;
    if (part[3] != end[3] || p->before < 0 || !(p->own >> p->before & 1))
        return "the marble before the newest is not there";
    return NULL;
}

/* The file ------------------------------------------------------------------------------------ */

typedef struct {
    const uint8_t *content;
    uint64_t size, records, frame, detail;      /* the last three where it has records */
    uint64_t salt;                              /* of a static function */
    const char *digest;
    int checked;
} Section;

typedef struct {
    int made, only;
    uint16_t count[LONGEST_WORD + 1], *symbols; /* words of each length, symbols in their order */
} Code;

typedef struct {
    int lowest, codes;
    Section *codes_section, **parts;
    int part_count;
    int *size;                                  /* of each code, its symbols */
    Code *code;
} Ply;

typedef struct { const uint8_t *at, *end; int bit; } Bits;

static int areas_count, chains_count, supply, marbles_each, root_marbles;
static Position root;
static uint64_t root_live;
static int spots, spot_of[FIELDS], context_bits, digits, shift[FIELDS], first_code[FIELDS];
static uint64_t mask[FIELDS], given[FIELDS];
static int detail_bits, key_words, digit_shift[FIELDS], digit_room[FIELDS], plies;
static uint64_t contexts;
static Section *section_of_contexts, *section_of_weights, *section_of_codebook;
static Ply *ply_at;

/* Of a database without keys. */
static int keyless, every, until, fingerprint, dropped, by_live, by_legal;
static uint64_t codebook_contexts;

static const uint8_t *checked(Section *section)
{
    static const char HEX[] = "0123456789abcdef";
    uint8_t digest[32];
    int i;
    if (section->checked) return section->content;
    sha256(section->content, 0, section->content, section->size, digest);
    if (strlen(section->digest) != 64) fail("the header makes no sense");
    for (i = 0; i < 64; i++)
        if (section->digest[i] != HEX[digest[i / 2] >> (i % 2 ? 0 : 4) & 15])
            fail("the file is damaged: a section has another checksum");
    section->checked = 1;
    return section->content;
}

static void read_digits(const Json *header)
{
    const Json *list, *item;
    int i;
    memset(digit_room, -1, sizeof digit_room);
    for (list = get(header, "digits", '[')->first; list; list = list->next) {
        if (digits == FIELDS || length(list) != 3) fail("the header has wrong digits");
        item = list->first;
        shift[digits] = (int)natural(item, 63);
        mask[digits] = natural(item->next, 255);
        given[digits] = natural(item->next->next, UINT64_MAX);
        digits++;
    }
    for (i = 0; i < digits; i++) {
        int top = shift[i];
        uint64_t rest;
        for (rest = mask[i]; rest; rest >>= 1) top++;
        if (top > 64) fail("the header has wrong digits");
        if (top > detail_bits) detail_bits = top;
    }
    for (list = get(header, "panels", '[')->first; list; list = list->next) {
        int which = (int)natural(list->first, (uint64_t)panels - 1);
        if (length(list) != 3) fail("the header has wrong panels");
        digit_shift[which] = (int)natural(list->first->next, 63);
        digit_room[which] = (int)natural(list->first->next->next, FIELDS);
    }
}

static void read_plies(const Json *header)
{
    const Json *list = get(header, "plies", '['), *about;
    int i, j, code;
    if (length(list) > FIELDS) fail("the header has too many plies");
    ply_at = room((size_t)length(list), sizeof *ply_at);
    for (about = list->first; about; about = about->next) {
        Ply *ply = &ply_at[plies++];
        const Json *lowest = get(about, "lowest", '0');
        if (lowest->number > 1 << 15) fail("the header has a value that cannot be");
        ply->lowest = lowest->negative ? -(int)lowest->number : (int)lowest->number;
        for (i = 0, ply->codes = 2; i < digits; i++) {
            first_code[i] = ply->codes;
            ply->codes += 1 + members(given[i]);
        }
        ply->size = room((size_t)ply->codes, sizeof *ply->size);
        ply->code = room((size_t)ply->codes, sizeof *ply->code);
        ply->size[0] = digits + 64;
        ply->size[1] = length(get(about, "values", '['));
        for (i = 0, code = 2; i < digits; i++)
            for (j = 0; j <= members(given[i]); j++) ply->size[code++] = (int)mask[i] + 1;
    }
}

static void read_sections(const Json *header, const uint8_t *content, uint64_t size)
{
    const Json *list = get(header, "sections", '['), *about;
    Section *section = room((size_t)length(list), sizeof *section);
    uint64_t end = 0;
    int count = length(list);
    for (about = list->first; about; about = about->next, section++) {
        const char *kind = get(about, "kind", '"')->text;
        section->size = natural(get(about, "bytes", '0'), size - end);
        section->content = content + end;
        section->digest = get(about, "sha256", '"')->text;
        if (get(about, "offset", '0')->number != end) fail("the sections do not follow in order");
        end += section->size;
        if (!strcmp(kind, "contexts")) {
            section_of_contexts = section;
        } else if (keyless && !strcmp(kind, "weights")) {
            section_of_weights = section;
        } else if (keyless && !strcmp(kind, "codebook")) {
            section_of_codebook = section;
            codebook_contexts = natural(get(about, "contexts", '0'), section->size * 8 / 3);
        } else if (plies) {
            Ply *ply = &ply_at[natural(get(about, "ply", '0'), (uint64_t)plies - 1)];
            if (!strcmp(kind, "codes")) {
                ply->codes_section = section;
                continue;
            }
            if (!ply->parts) ply->parts = room((size_t)count, sizeof *ply->parts);
            section->records = natural(get(about, "records", '0'), section->size * 64);
            if (keyless) {
                section->salt = natural(get(about, "salt", '0'), UINT32_MAX);
                section->frame = natural(get(about, "first", '0'), UINT64_MAX);
                ply->parts[ply->part_count++] = section;
                continue;
            }
            section->frame = natural(get(about, "first", '[')->first, UINT64_MAX);
            section->detail = natural(get(about, "first", '[')->first->next, UINT64_MAX);
            if (!section->records) fail("a section has no records");
            ply->parts[ply->part_count++] = section;
        }
    }
    if (end != size) fail("the sections do not fill the file");
    if (!section_of_contexts || section_of_contexts->size / 9 < contexts)
        fail("the file has no contexts");
    if (keyless && (!section_of_weights || !section_of_codebook)) fail("the file has no codes");
}

static const char *open_database(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint64_t size = 0, capacity = 1 << 16, text_size, entries = 0, i;
    uint8_t *content = room(capacity, 1), digest[32];
    Json *header, *field;
    const char *scoring, *wrong;
    char *text;
    size_t got;
    int absent;
    if (!file) fail("the file cannot be opened");
    while ((got = fread(content + size, 1, capacity - size, file)) > 0)
        if ((size += got) == capacity && !(content = realloc(content, capacity *= 2)))
            fail("not enough memory");
    fclose(file);
    if (size < 64 || memcmp(content, "KULAMIDB", 8)) fail("no database of Kulami");
    if (number_at(content + 8, 4) != 1) fail("a database of a version that is not known here");
    text_size = number_at(content + 12, 4);
    if (number_at(content + 16, 8) != size || 64 + text_size > size || number_at(content + 24, 8))
        fail("the file is damaged or cut off");
    sha256(content, 32, content + 64, text_size, digest);
    if (memcmp(digest, content + 32, 32)) fail("the header is damaged");
    /* An entry takes some twenty times its text, and a long header is one of sections. */
    for (i = 64; i < 64 + text_size; i++) entries += content[i] && strchr("[{,", content[i]);
    if (entries > (1 << 17) + text_size / 12) fail("the header has more entries than sections");
    text = room(text_size + 1, 1);
    memcpy(text, content + 64, text_size);
    at = text;
    header = parsed(0);
    if (header->kind != '{' || *(at += strspn(at, " "))) fail("the header makes no sense");
    keyless = !strcmp(get(header, "game", '"')->text, "kulami-compact");
    if (!keyless && strcmp(get(header, "game", '"')->text, "kulami"))
        fail("a database of another game");
    if (keyless) {
        fingerprint = (int)natural(get(header, "fingerprint", '0'), 16);
        dropped = (int)natural(get(header, "dropped", '0'), 9);
        by_live = get(header, "by_live", '?')->kind == 't';
        by_legal = get(header, "by_legal", '?')->kind == 't';
    }
    every = find(header, "every") ? (int)natural(find(header, "every"), 64) : 1;
    until = find(header, "until") ? (int)natural(find(header, "until"), 64) : 0;
    if (!every) fail("the header makes no sense");

    set_up_board(get(header, "layout", '"')->text);
    if (!fields) fail("the layout has no field");
    marbles_each = (int)natural(get(header, "marbles", '0'), FIELDS);
    supply = 2 * marbles_each - (get(header, "short_end", '?')->kind == 't');
    scoring = get(header, "scoring", '"')->text;
    areas_count = !strcmp(scoring, "1") || !strcmp(scoring, "2");
    chains_count = !strcmp(scoring, "chains") || !strcmp(scoring, "2");
    wrong = read_position(get(header, "root", '"')->text, &root, marbles_each, &absent);
    if (wrong || absent) fail("the root is no position");
    root_marbles = members(root.own | root.other);
    root_live = live_fields(&root);
    for (field = get(header, "fields", '[')->first; field; field = field->next) {
        uint64_t f = natural(field, (uint64_t)fields - 1);
        if (spots == FIELDS || !(root_live >> f & 1)) fail("the header contradicts its root");
        spot_of[f] = spots++;
    }
    if (spots != members(root_live)) fail("the header contradicts its root");
    context_bits = (int)natural(get(header, "context_bits", '0'), 63);
    if (spots + context_bits > 64) fail("the header contradicts its root");
    contexts = natural(get(header, "contexts", '0'), UINT32_MAX);
    read_digits(header);
    key_words = spots + context_bits + detail_bits <= 64 ? 1 : 2;
    read_plies(header);
    read_sections(header, content + 64 + text_size, size - 64 - text_size);
    return get(header, "root", '"')->text;
}

/* Records ------------------------------------------------------------------------------------- */

static int bit(Bits *bits)
{
    int taken;
    if (bits->at >= bits->end) fail("the records of a block do not end");
    taken = *bits->at >> bits->bit & 1;
    bits->at += ++bits->bit >> 3;
    bits->bit &= 7;
    return taken;
}

static Code *code_of(Ply *ply, int which)
{
    Code *code = &ply->code[which];
    const uint8_t *lengths;
    uint64_t begin = 0, all = 0;
    int i, bits, made = 0;
    if (code->made) return code;
    if (!ply->codes_section) fail("a ply has no codes");
    for (i = 0; i < ply->codes; i++) {
        if (i == which) begin = all;
        all += (uint64_t)ply->size[i];
    }
    if (all + 2 * (uint64_t)ply->codes > ply->codes_section->size) fail("the codes are cut off");
    lengths = checked(ply->codes_section) + begin;
    code->only = (int)number_at(ply->codes_section->content + all + 2 * which, 2);
    code->symbols = room((size_t)ply->size[which], sizeof *code->symbols);
    for (bits = 1; bits <= LONGEST_WORD; bits++)
        for (i = 0; i < ply->size[which]; i++)
            if (lengths[i] == bits) {
                code->symbols[made++] = (uint16_t)i;
                code->count[bits]++;
            }
    code->made = 1 + made;
    return code;
}

static int symbol(Bits *bits, Ply *ply, int which)
{
    const Code *code = code_of(ply, which);
    int word = 0, first = 0, passed = 0, i;
    if (code->made == 1) return code->only;
    for (i = 1; i <= LONGEST_WORD; i++) {
        word = word << 1 | bit(bits);
        first <<= 1;
        if (word < first + code->count[i]) return code->symbols[passed + word - first];
        passed += code->count[i];
        first += code->count[i];
    }
    fail("a word that is in no code");
    return 0;
}

/* Makes of the frame and detail of a record those of the next one. */
static void step_on(Bits *bits, Ply *ply, uint64_t *frame, uint64_t *detail)
{
    int step = symbol(bits, ply, 0), i;
    if (step >= digits) {
        int more = step - digits;
        if (more > 63) fail("a step that cannot be");
        *frame += (uint64_t)1 << more;
        for (i = 0; i < more; i++) *frame += (uint64_t)bit(bits) << i;
        step = 0;
    }
    for (i = step; i < digits; i++) {
        uint64_t digit = (uint64_t)symbol(bits, ply, first_code[i] + members(given[i] & *frame));
        if (digit > mask[i]) fail("a digit that cannot be");
        *detail = (*detail & ~(mask[i] << shift[i])) | digit << shift[i];
    }
}

static int compared(uint64_t frame, uint64_t detail, uint64_t with_frame, uint64_t with_detail)
{
    if (frame != with_frame) return frame < with_frame ? -1 : 1;
    return (detail > with_detail) - (detail < with_detail);
}

static void key_of(const uint8_t *content, uint64_t block, uint64_t *frame, uint64_t *detail)
{
    const uint8_t *key = content + 8 * (uint64_t)key_words * block;
    *frame = number_at(key, 8);
    if (key_words == 2) {
        *detail = number_at(key + 8, 8);
    } else {
        *detail = detail_bits ? *frame & UINT64_MAX >> (64 - detail_bits) : 0;
        *frame = detail_bits < 64 ? *frame >> detail_bits : 0;
    }
}

/* The value of a record, ABSENT if there is none. */
static int value_of(Ply *ply, uint64_t frame, uint64_t detail)
{
    uint64_t low = 0, high, middle, blocks, f, d, first_f, first_d, offsets, begin, end, half;
    const uint8_t *content;
    Section *part;
    Bits bits, second;
    int count, i, order, value, parts = ply->part_count;
    while (parts && compared(ply->parts[parts - 1]->frame, ply->parts[parts - 1]->detail, frame,
                             detail) > 0)
        parts--;
    if (!parts) return ABSENT;
    part = ply->parts[parts - 1];
    content = checked(part);
    blocks = (part->records + BLOCK - 1) / BLOCK;
    offsets = 8 * (uint64_t)key_words * blocks;
    if (offsets + 6 * blocks > part->size) fail("a section is cut off");
    for (high = blocks; high - low > 1;) {
        middle = (low + high) / 2;
        key_of(content, middle, &f, &d);
        if (compared(f, d, frame, detail) <= 0) low = middle;
        else high = middle;
    }
    begin = number_at(content + offsets + 4 * low, 4) + offsets + 6 * blocks;
    end = part->size;
    if (low + 1 < blocks)
        end = number_at(content + offsets + 4 * (low + 1), 4) + offsets + 6 * blocks;
    half = number_at(content + offsets + 4 * blocks + 2 * low, 2);
    if (begin > end || end > part->size) fail("a block lies outside its section");
    bits.at = content + begin;
    bits.end = content + end;
    bits.bit = 0;
    count = (int)(part->records - BLOCK * low < BLOCK ? part->records - BLOCK * low : BLOCK);
    key_of(content, low, &first_f, &first_d);

    value = symbol(&bits, ply, 1);
    if (!compared(first_f, first_d, frame, detail)) return ply->lowest + value;
    f = first_f;
    d = first_d;
    if (count > BLOCK / 2) {
        second.at = content + begin + half / 8;
        second.end = bits.end;
        second.bit = (int)(half % 8);
        step_on(&second, ply, &f, &d);
        if (compared(f, d, frame, detail) <= 0) {
            bits = second;
            count -= BLOCK / 2;
        } else {
            f = first_f;
            d = first_d;
            step_on(&bits, ply, &f, &d);
            count = BLOCK / 2 - 1;
        }
    } else {
        if (--count == 0) return ABSENT;
        step_on(&bits, ply, &f, &d);
    }
    for (i = 0; i < count; i++) {
        if (i) step_on(&bits, ply, &f, &d);
        value = symbol(&bits, ply, 1);
        order = compared(f, d, frame, detail);
        if (order >= 0) return order ? ABSENT : ply->lowest + value;
    }
    return ABSENT;
}

/* Values without keys ------------------------------------------------------------------------- */

enum { CHUNK = 2048, LONGEST_CODE = 40 };
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

typedef struct {
    uint64_t context;
    int count[LONGEST_CODE + 1], *symbols;      /* words of each length, symbols in their order */
} Codes;

static Codes *codebook;

static uint64_t scattered(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A number from 1 on, in Elias's gamma code. */
static uint64_t gamma_number(Bits *bits)
{
    uint64_t made;
    int width = 0, i;
    while (!bit(bits))
        if (++width > 31) fail("the codes make no sense");
    made = (uint64_t)1 << width;
    for (i = 0; i < width; i++) made |= (uint64_t)bit(bits) << i;
    return made;
}

static int signed_number(Bits *bits)
{
    uint64_t x = gamma_number(bits);
    return x % 2 ? -(int)(x / 2) : (int)(x / 2);
}

static void read_codebook(void)
{
    Bits bits;
    uint64_t i, context = UINT64_MAX;
    int first = 0;
    bits.at = checked(section_of_codebook);
    bits.end = bits.at + section_of_codebook->size;
    bits.bit = 0;
    codebook = room(codebook_contexts, sizeof *codebook);
    for (i = 0; i < codebook_contexts; i++) {
        Codes *codes = &codebook[i];
        int *symbols, *lengths, number, n, j, word = 2, made = 0;
        codes->context = context += gamma_number(&bits);
        number = (int)gamma_number(&bits);
        if (number > 1 << 16) fail("the codes make no sense");
        symbols = room((size_t)number, sizeof *symbols);
        lengths = room((size_t)number, sizeof *lengths);
        codes->symbols = room((size_t)number, sizeof *symbols);
        symbols[0] = first += signed_number(&bits);
        for (j = 1; j < number; j++) symbols[j] = symbols[j - 1] + (int)gamma_number(&bits);
        for (j = 0; number > 1 && j < number; j++) {
            lengths[j] = word += signed_number(&bits);
            if (word < 1 || word > LONGEST_CODE) fail("the codes make no sense");
        }
        for (n = 0; n <= LONGEST_CODE; n++)
            for (j = 0; j < number; j++)
                if (lengths[j] == n) {
                    codes->symbols[made++] = symbols[j];
                    codes->count[n]++;
                }
        free(symbols);
        free(lengths);
    }
}

static const Codes *codes_of(uint64_t context)
{
    uint64_t i;
    if (!codebook) read_codebook();
    for (i = 0; i < codebook_contexts; i++)
        if (codebook[i].context == context) return &codebook[i];
    return NULL;
}

/* What a static function knows of a record: a chunk's bits, and two words of the record's own. */
typedef struct { const uint8_t *bits; uint64_t x, y, windows; } Equations;

static int equation(const Equations *e, int i)
{
    uint64_t begin, mask, window;
    const uint8_t *word;
    int by = i & 63;
    if (!e->windows) return 0;
    begin = ((uint32_t)((e->y >> 32) + (uint64_t)i * 0x9e3779b9) * e->windows) >> 32;
    mask = e->x | 1;
    mask = (by ? mask << by | mask >> (64 - by) : mask) | 1;
    word = e->bits + 8 * (begin / 64);
    window = number_at(word, 8) >> begin % 64;
    if (begin % 64) window |= number_at(word + 8, 8) << (64 - begin % 64);
    return members(window & mask) % 2;
}

/* The symbol of a record; whether its fingerprint is the right one. */
static int find_symbol(Section *function, uint64_t frame, uint64_t detail, const Codes *codes,
                       int *symbol)
{
    const uint8_t *content = checked(function);
    uint64_t chunks = (function->records + CHUNK - 1) / CHUNK, chunk, h, head, begin, end;
    Equations e;
    int word = 0, first = 0, passed = 0, n, i;
    h = scattered(scattered(frame + function->salt * GOLDEN) + detail);
    chunk = ((h >> 32) * chunks + ((h & UINT32_MAX) * chunks >> 32)) >> 32;
    head = (5 * chunks + 4 + 7) / 8 * 8;
    if (head > function->size) fail("a section is cut off");
    begin = number_at(content + 4 * chunk, 4);
    end = number_at(content + 4 * chunk + 4, 4);
    if (begin > end || head + 8 * end > function->size) fail("a chunk lies outside its section");
    e.bits = content + head + 8 * begin;
    e.windows = end > begin ? 64 * (end - begin) - 63 : 0;
    e.x = scattered(h ^ (uint64_t)(content[4 * chunks + 4 + chunk] + 1) * GOLDEN);
    e.y = scattered(e.x);
    for (n = 0;; n++) {
        if (word < first + codes->count[n]) break;
        if (n == LONGEST_CODE) fail("a word that is in no code");
        passed += codes->count[n];
        first = (first + codes->count[n]) << 1;
        word = word << 1 | equation(&e, n);
    }
    *symbol = codes->symbols[passed + word - first];
    for (i = 0; i < fingerprint; i++)
        if (equation(&e, n + i) != (int)(e.y >> i & 1)) return 0;
    return 1;
}

static int is_kept(int ply)
{
    int end = plies - until;
    return ply % every == 0 && ply < (end > 1 ? end : 1);
}

static uint64_t to_spots(uint64_t set);
static int score(const Position *p);

/* The value of a position of a ply that is kept, ABSENT if there is none. */
static int value_without_keys(const Position *p, int ply, uint64_t frame, uint64_t detail,
                              uint64_t live)
{
    const uint8_t *weights = checked(section_of_weights);
    uint64_t legal = legal_fields(p), first = ply % 2 ? p->other : p->own, context;
    uint64_t second = ply % 2 ? p->own : p->other;
    int64_t total = 0;
    int with_colours = areas_count || chains_count, points = 0, most = 255, guess, symbol, i;
    size_t cell = 0;
    const Codes *codes;
    Section *function;
    for (i = 0; i < panels; i++) {
        int spaces = members(panel[i] & root_live), left = members(panel[i] & live);
        int lead = lead_on(panel[i], first, second), decided = abs(lead) > left, where;
        uint64_t weight;
        size_t here;
        if (!spaces || (!with_colours && digit_room[i] < 0)) continue;
        if (left) {
            where = decided ? 2 * spaces + 1 : (ply % 2 ? -lead : lead) + spaces;
            here = cell + 2 * ((size_t)(left - 1) * (size_t)(2 * spaces + 2) + (size_t)where)
                   + !!(panel[i] & legal);
            if (4 * here + 4 > section_of_weights->size) fail("a section is cut off");
            weight = number_at(weights + 4 * here, 4);
            total += (int64_t)(weight ^ 0x80000000) - INT64_C(0x80000000);
            points += decided ? 0 : members(panel[i]);
        }
        cell += 4 * (size_t)spaces * (size_t)(spaces + 1);
    }
    if (!with_colours && 4 * points < most) most = 4 * points;
    total += 32;
    total = total < 0 ? -((-total + 63) / 64) : total / 64;
    guess = total < -most ? -most : total > most ? most : (int)total;
    context = (uint64_t)points << 18 | (uint64_t)(guess + 256) >> dropped;
    if (by_live) context |= (uint64_t)members(live) << 12;
    if (by_legal) context |= (uint64_t)(members(legal) < 7 ? members(legal) : 7) << 9;
    codes = codes_of(context);
    if (!codes || !ply_at[ply].part_count) return ABSENT;
    for (i = ply_at[ply].part_count - 1; i && ply_at[ply].parts[i]->frame > frame;) i--;
    if (ply_at[ply].parts[i]->frame > frame) i = ply_at[ply].part_count - 1;
    function = ply_at[ply].parts[i];
    if (!find_symbol(function, frame, detail, codes, &symbol)) return ABSENT;
    return symbol + (with_colours ? score(p) : 0);
}

/* Looking up ---------------------------------------------------------------------------------- */

static uint64_t to_spots(uint64_t set)
{
    uint64_t found = 0;
    int f;
    for (f = 0; f < fields; f++)
        if (set & root_live & (uint64_t)1 << f) found |= (uint64_t)1 << spot_of[f];
    return found;
}

static uint64_t legal_now(const Position *p)
{
    return members(p->own | p->other) < supply ? legal_fields(p) : 0;
}

static int score(const Position *p)
{
    int i, margin = 0;
    for (i = 0; i < panels; i++)
        margin += members(panel[i]) * sign(lead_on(panel[i], p->own, p->other));
    if (areas_count) margin += largest_area(p->own) - largest_area(p->other);
    if (chains_count) margin += chains(p->own) - chains(p->other);
    return margin;
}

static Position after_move(const Position *p, int field)
{
    Position after;
    after.own = p->other;
    after.other = p->own | (uint64_t)1 << field;
    after.last = field;
    after.before = p->last;
    return after;
}

static int margin_of(const Position *p);

/* The margin of a position whose ply is left out, by the moves from it. */
static int margin_by_play(const Position *p, uint64_t legal)
{
    int f, margin, best = -ABSENT;
    for (f = 0; f < fields; f++) {
        Position after = after_move(p, f);
        if (!(legal >> f & 1)) continue;
        margin = margin_of(&after);
        if (margin == ABSENT) return ABSENT;
        if (-margin > best) best = -margin;
    }
    return best;
}

/* The margin of a position for the side to move, ABSENT if it is not in the file. */
static int margin_of(const Position *p)
{
    uint64_t legal = legal_now(p), live, first, second, context, barred = NO_PANEL, frame;
    uint64_t detail = 0;
    const uint8_t *listed = checked(section_of_contexts);
    int ply = members(p->own | p->other) - root_marbles, base = 0, i, value;
    if (!legal) return score(p);
    if (ply < 0 || ply >= plies) return ABSENT;
    if (!is_kept(ply)) return margin_by_play(p, legal);
    first = ply % 2 ? p->other : p->own;
    second = ply % 2 ? p->own : p->other;
    if (areas_count || chains_count) {
        live = root_live & ~(first | second);
        if ((first & ~root_live) != root.own || (second & ~root_live) != root.other) return ABSENT;
    } else {
        live = live_fields(p);
        if (live & ~root_live) return ABSENT;
    }
    if (p->last >= 0 && panel[panel_of[p->last]] & live) barred = (uint64_t)panel_of[p->last];
    for (context = 0; context < contexts; context++)
        if (listed[8 * contexts + context] == barred
            && number_at(listed + 8 * context, 8) == to_spots(legal))
            break;
    if (context == contexts) return ABSENT;
    frame = to_spots(live) << context_bits | context;
    if (areas_count || chains_count) {
        for (i = 0; i < fields; i++)
            if (first & root_live & (uint64_t)1 << i)
                detail |= (uint64_t)1 << (spots - 1 - spot_of[i]);
    } else {
        for (i = 0; i < panels; i++) {
            int lead = lead_on(panel[i], first, second), left = members(panel[i] & live);
            int decided = abs(lead) > left;
            if (decided) base += members(panel[i]) * sign(lead) * (ply % 2 ? -1 : 1);
            if (left && digit_room[i] >= 0) {
                int digit = decided ? 2 * digit_room[i] + 1 : lead + digit_room[i];
                detail |= (uint64_t)digit << digit_shift[i];
            } else if (left && !decided) {
                return ABSENT;
            }
        }
    }
    value = keyless ? value_without_keys(p, ply, frame, detail, live)
                    : value_of(&ply_at[ply], frame, detail);
    return value == ABSENT ? ABSENT : base + value;
}

static int print_position(const char *text)
{
    Position p, after;
    uint64_t legal;
    int absent, margin, f;
    const char *wrong = read_position(text, &p, marbles_each, &absent);
    if (wrong) fail(wrong);
    margin = absent ? ABSENT : margin_of(&p);
    if (margin == ABSENT) fail("the position is not in the file");
    printf("margin %d\n", margin);
    for (f = 0, legal = legal_now(&p); f < fields; f++) {
        if (!(legal >> f & 1)) continue;
        after = after_move(&p, f);
        margin = margin_of(&after);
        if (margin == ABSENT) fail("the file lacks what follows on the position");
        printf("%c%d %d\n", 'a' + column[f], row[f] + 1, -margin);
    }
    return 0;
}

static int print_margins(void)
{
    static char line[1024];
    int bad = 0;
    while (fgets(line, sizeof line, stdin)) {
        Position p;
        int absent, margin;
        const char *wrong = read_position(line, &p, marbles_each, &absent);
        margin = wrong || absent ? ABSENT : margin_of(&p);
        bad |= margin == ABSENT;
        if (wrong) printf("%s\n", wrong);
        else if (margin == ABSENT) printf("absent\n");
        else printf("%d\n", margin);
    }
    return bad;
}

int main(int count, char **words)
{
    const char *position;
    if (count < 2 || count > 3) fail("say FILE, and KFN or - (the root if neither is given)");
    position = open_database(words[1]);
    if (count == 3) position = words[2];
    return strcmp(position, "-") ? print_position(position) : print_margins();
}
