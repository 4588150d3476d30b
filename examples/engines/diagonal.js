// An engine in JavaScript: next to a hit if it can, else along every second diagonal.
//
//     seabattle engine --check 'node examples/engines/diagonal.js'
//     seabattle compare 'exec:node examples/engines/diagonal.js' random
'use strict'
const readline = require('node:readline')

let rules = null
const games = new Map() // number: { unknown: Set of names, hits: array of [row, column] }

const name = (row, column) => String.fromCharCode(65 + row) + (column + 1)
const place = (cell) => [cell.charCodeAt(0) - 65, Number(cell.slice(1)) - 1]

function answer (message) {
  switch (message.type) {
    case 'hello':
      return { type: 'hello', protocol: 1, name: 'diagonal', version: '1.0', games: 1000 }
    case 'rules':
      rules = message.rules
      games.clear()
      return { type: 'ready' }
    case 'game': {
      const unknown = new Set()
      for (let row = 0; row < rules.rows; row++) {
        for (let column = 0; column < rules.columns; column++) unknown.add(name(row, column))
      }
      games.set(message.game, { unknown, hits: [] })
      tell(games.get(message.game), message.shots)
      return null
    }
    case 'choose': {
      const game = games.get(message.game)
      tell(game, message.shots)
      for (const cell of message.pending ?? []) game.unknown.delete(cell)
      return { type: 'shot', id: message.id, cell: choose(game) }
    }
    case 'over':
      games.delete(message.game)
      return null
    case 'quit':
      process.exit()
      break
    case 'match': case 'match-over': case 'stop': case 'error':
      return null
    default:
      return { type: 'error', message: `I do not know ${message.type}.` }
  }
}

// Shots such as 'E5 hit' or 'F6 sunk cruiser'.
function tell (game, shots) {
  for (const shot of shots) {
    const [cell, told] = shot.split(' ')
    game.unknown.delete(cell)
    if (told !== 'miss') game.hits.push(place(cell))
  }
}

function choose (game) {
  for (const [row, column] of game.hits) {
    for (const [down, right] of [[-1, 0], [1, 0], [0, -1], [0, 1]]) {
      const cell = name(row + down, column + right)
      if (game.unknown.has(cell)) return cell
    }
  }
  const cells = [...game.unknown]
  const diagonal = cells.find((cell) => {
    const [row, column] = place(cell)
    return (row + column) % 2 === 0
  })
  return diagonal ?? cells[0]
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  let reply
  try {
    reply = answer(JSON.parse(line))
  } catch (error) {
    reply = { type: 'error', message: String(error) }
  }
  if (reply) process.stdout.write(JSON.stringify(reply) + '\n')
})
