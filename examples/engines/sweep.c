/* An engine in C: next to a hit if it can, else a random cell.

       cc -O2 -o sweep examples/engines/sweep.c
       seabattle engine --check ./sweep
       seabattle compare exec:./sweep random

   It finds fields by their names, without a JSON library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GAMES = 64, MOST_CELLS = 256, UNKNOWN = 0, MISSED, HIT };

static struct game {
    long number; /* 0: free */
    unsigned long long random;
    char state[MOST_CELLS];
} games[MOST_GAMES];
static int rows, columns;

/* What follows "name": in the message, or "". */
static const char *field(const char *message, const char *name)
{
    for (const char *at = message; (at = strstr(at, name)) != NULL; at++) {
        const char *value = at + strlen(name) + strspn(at + strlen(name), " ");
        if (*value == ':')
            return value + 1 + strspn(value + 1, " ");
    }
    return "";
}

static int is(const char *message, const char *type)
{
    return !strncmp(field(message, "\"type\""), type, strlen(type));
}

static struct game *find(long number)
{
    for (int k = 0; k < MOST_GAMES; k++)
        if (games[k].number == number)
            return &games[k];
    return NULL;
}

/* Note shots such as ["E5 hit","F6 sunk cruiser"]; pending cells are ["E5"]. */
static void tell(struct game *game, const char *message, const char *name)
{
    const char *at = field(message, name), *end = strchr(at, ']');
    for (; end && (at = strchr(at, '"')) != NULL && at < end; at = strchr(at, '"') + 1) {
        int cell = (at[1] - 'A') * columns + atoi(at + 2) - 1;
        at += 1 + strcspn(at + 1, " \"");
        game->state[cell & 255] = *at == ' ' && at[1] != 'm' ? HIT : MISSED;
    }
}

static int choose(struct game *game)
{
    int free[MOST_CELLS], count = 0;
    for (int cell = 0; cell < rows * columns; cell++) {
        char *here = game->state + cell;
        int row = cell / columns, column = cell % columns;
        if (*here != UNKNOWN)
            continue;
        if ((row > 0 && here[-columns] == HIT) || (row < rows - 1 && here[columns] == HIT)
            || (column > 0 && here[-1] == HIT) || (column < columns - 1 && here[1] == HIT))
            return cell;
        free[count++] = cell;
    }
    game->random = game->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return count ? free[(game->random >> 33) % count] : 0;
}

int main(void)
{
    static char line[65536];
    for (struct game *game; fgets(line, sizeof line, stdin); fflush(stdout)) {
        long number = atol(field(line, "\"game\""));
        if (is(line, "\"hello\"")) {
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"sweep\",\"games\":64}");
        } else if (is(line, "\"rules\"")) {
            rows = atoi(field(line, "\"rows\"")), columns = atoi(field(line, "\"columns\""));
            memset(games, 0, sizeof games);
            puts("{\"type\":\"ready\"}");
        } else if (is(line, "\"game\"") && (game = find(0))) {
            *game = (struct game) {number, strtoull(field(line, "\"seed\""), NULL, 10), {0}};
            tell(game, line, "\"shots\"");
        } else if (is(line, "\"choose\"") && (game = find(number))) {
            tell(game, line, "\"shots\""), tell(game, line, "\"pending\"");
            int cell = choose(game);
            printf("{\"type\":\"shot\",\"id\":%ld,\"cell\":\"%c%d\"}\n",
                   atol(field(line, "\"id\"")), 'A' + cell / columns, cell % columns + 1);
        } else if (is(line, "\"over\"") && (game = find(number))) {
            game->number = 0;
        } else if (is(line, "\"quit\"")) {
            return 0;
        }
    }
    return 0;
}
