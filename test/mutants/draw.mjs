// Prints random mutants of the core, without the tests that kill them. README.md shows the use.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseSync, Visitor } from 'oxc-parser'
import { mutate } from './mutate.mjs'
import { root } from './vitest.mjs'

const CORE = [
  'packages/chain/src',
  ...['trades', 'usd', 'quote', 'venues'].map((folder) => `packages/dex/src/${folder}`),
  ...['writing', 'tables', 'reading'].map((folder) => `packages/store/src/${folder}`),
  ...['follow', 'blocks', 'backfill', 'pools'].map((folder) => `apps/indexer/src/${folder}`),
  ...['http', 'quote', 'v1', 'swaps'].map((folder) => `apps/api/src/${folder}`),
  'packages/service/src/http',
]
const SWAPPED = new Map(
  [
    ['<', '<='],
    ['>', '>='],
    ['===', '!=='],
    ['+', '-'],
    ['*', '/'],
    ['<<', '>>'],
    ['&&', '||'],
  ].flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
)

const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string', default: '10' } } })
const seed = Number(values.seed)
const random = generator(seed)
const files = CORE.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /(?<!\.test|expected-events)\.ts$/.test(name) && !/(^|\/)test\//.test(name))
    .map((name) => `${folder}/${name}`),
).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

const passedOver = JSON.parse(readFileSync(new URL('passed-over.json', import.meta.url), 'utf8'))
const drawn = new Map()
while (drawn.size < Number(values.count)) {
  const file = fileAt(random())
  const mutant = drawIn(file, sources.get(file))
  if (mutant !== null && !passedOver.some((passed) => textOf(passed) === textOf(mutant)))
    drawn.set(textOf(mutant), mutant)
}
console.log(JSON.stringify([...drawn.values()], null, 1))

function textOf({ file, find, replace }) {
  return JSON.stringify([file, find, replace])
}

function fileAt(share) {
  let rest = share * [...sources.values()].reduce((sum, { length }) => sum + length, 0)
  for (const [file, { length }] of sources) {
    if (rest < length) return file
    rest -= length
  }
  return files[0]
}

/** Draws the kind first, because otherwise most mutants would be of the commonest kind. */
function drawIn(file, source) {
  const places = placesIn(file, source)
  const kinds = [...new Set(places.map(({ kind }) => kind))].sort()
  if (kinds.length === 0) return null
  const kind = pick(kinds)
  const { start, end, text } = pick(places.filter((place) => place.kind === kind))
  const [from, to] = uniquePart(source, start, end)
  const find = source.slice(from, to)
  const replace = source.slice(from, start) + text + source.slice(end, to)
  const mutant = { origin: `random, seed ${seed}`, kind, file, find, replace }
  mutate({ id: 'a drawn mutant', ...mutant }, source)
  return mutant
}

function placesIn(file, source) {
  const places = []
  const types = new Set()
  const add = (kind, { start, end }, text) => places.push({ kind, start, end, text })
  const codeOf = ({ start, end }) => source.slice(start, end)
  const negate = ({ test }) => {
    if (test) add('negation', test, `!(${codeOf(test)})`)
  }
  const swap = (kind, { left, right, operator }) => {
    const other = SWAPPED.get(operator)
    const at = source.indexOf(operator, left.end)
    if (other && at < right.start) add(kind, { start: at, end: at + operator.length }, other)
  }
  new Visitor({
    BinaryExpression(node) {
      const isText = [node.left, node.right].some(
        ({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string',
      )
      if (!isText || node.operator !== '+')
        swap(/[<>=]=?$/.test(node.operator) && !/<<|>>/.test(node.operator) ? 'relation' : 'arithmetic', node)
    },
    LogicalExpression: (node) => swap('logic', node),
    ConditionalExpression: negate,
    IfStatement(node) {
      const { consequent, alternate } = node
      const [only, ...more] = consequent.type === 'BlockStatement' ? consequent.body : [consequent]
      const isGuard =
        alternate === null && more.length === 0 && /^(Return|Throw|Continue)Statement$/.test(only?.type ?? '')
      if (isGuard && !/\bawait\b/.test(codeOf(node))) add('guard', node, ';')
      else negate(node)
    },
    ExpressionStatement(node) {
      if (node.expression.type !== 'Literal') add('statement', node, ';')
    },
    TSLiteralType({ literal }) {
      types.add(literal)
    },
    Literal(node) {
      if (types.has(node)) return
      const before = source[node.start - 1]
      if (typeof node.value !== 'number' && typeof node.value !== 'bigint') return
      if (!/^\d+n?$/.test(node.raw.replaceAll('_', '')) || /[.\w]/.test(before)) return
      const changed = BigInt(node.value) + (random() < 0.5 && BigInt(node.value) > 0n ? -1n : 1n)
      add('constant', node, `${changed}${node.raw.endsWith('n') ? 'n' : ''}`)
    },
  }).visit(parseSync(file, source).program)
  return places
}

/** Widens a part of the source until its text occurs once. */
function uniquePart(source, start, end) {
  let from = source.lastIndexOf('\n', start - 1) + 1
  let to = (source.indexOf('\n', end) + source.length + 1) % (source.length + 1)
  from += source.slice(from).search(/\S/)
  for (let lines = 0; source.indexOf(source.slice(from, to)) !== source.lastIndexOf(source.slice(from, to)); lines++) {
    if (lines % 2 === 0) from = source.lastIndexOf('\n', from - 2) + 1
    else to = source.indexOf('\n', to + 1)
  }
  return [from, to]
}

function pick(list) {
  return list[Math.floor(random() * list.length)]
}

/** Returns a random number generator (mulberry32). */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
