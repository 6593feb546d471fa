import { parseSync, Visitor } from 'oxc-parser'

/** Test chains, tests and the client have no operator. */
const LEFT_OUT = /^(packages\/(devnet|client|test-setup)|apps\/web|lab|test)\//
/** Files whose errors end a program or reach the log as a cause. Elsewhere, an error is a bug. */
const REPORTED =
  /^(apps\/indexer\/src\/(cli\/|days\/|main|run-network|queue\/bull)|apps\/api\/src\/(start-api|main|export)|apps\/mcp\/|packages\/service\/|packages\/store\/src\/(migrate\/|store-error)|packages\/chain\/src\/(errors\/chain|heads\/)|scripts\/(demo|run|stack|open-devnet))/

/**
 * Returns a source file's messages to operators and clients: log warnings and errors, refusals, fatal errors. A value
 * in a message becomes `…`.
 */
export function readMessages(path, source) {
  if (LEFT_OUT.test(path) || /\/test\/|\.test\.|generated\//.test(path)) return []
  const found = []
  const add = (node) => found.push(...textsOf(node).map((text) => text.replaceAll('`', '')))
  const nameOf = ({ start, end }) => source.slice(start, end)
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      const name = nameOf(callee)
      if (/(?:^|\.)#?log(\.(warn|error|fatal)$|\[)/.test(name)) add(given.at(-1))
      if (name === 'notNow') add(given[0])
      if (name === 'repeatLogged' && !nameOf(given[0]).includes("'debug'")) add(given[1])
      if (!REPORTED.test(path)) return
      if (name === 'super' || name === 'problems.push' || (name === 'fail' && path.startsWith('scripts/')))
        add(given[0])
    },
    NewExpression({ callee, arguments: given }) {
      const name = nameOf(callee)
      if (name === 'HttpFailure') add(given[1])
      if (name === 'InvalidRequest') add(given[0])
      if (/(Error|Refused|MigrationFailed)$/.test(name) && REPORTED.test(path)) add(given[0])
    },
  }).visit(parseSync(path, source).program)
  return found
}

/** Returns the sentences that an expression can evaluate to. A name gives none. */
function textsOf(node) {
  if (node === undefined) return []
  if (node.type === 'ConditionalExpression') return [...textsOf(node.consequent), ...textsOf(node.alternate)]
  const text = textOf(node)
  return text !== null && /\p{L} \p{L}/u.test(text) ? [text] : []
}

function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('…')
  if (node.type !== 'BinaryExpression') return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null || right === null ? null : left + right
}
