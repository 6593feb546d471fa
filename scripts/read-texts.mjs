import { parseSync, Visitor } from 'oxc-parser'

/** A sentence at the beginning of a text that goes on. */
const SENTENCE = /^(.*?[.!?])(?=\s+["'(*`[A-Z0-9])/s

/**
 * Returns the texts of a file that people read: comments, strings of more than one word, and the prose of a page.
 * Each has its `kind` (`comment`, `string`, `prose` or `cell`), its `line`, its `start` and `end`, and its `text`
 * without marks. A file whose language is unknown has none.
 */
export function readTexts(path, source) {
  if (/\.(tsx?|mjs)$/.test(path)) return textsOfCode(path, source)
  if (path.endsWith('.md')) return textsOfPage(source)
  const mark = markOf(path)
  return mark === undefined ? [] : commentLines(source, mark)
}

/** Returns a text on one line, with a word for each code span: what is in there are names, not language. */
export function withoutCode(text) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/`[^`]*`/g, 'CODE')
    .trim()
}

/**
 * Returns the sentences of a text, code spans as one word each. A list item, a tag and a paragraph begin a sentence.
 */
export function sentencesOf(text) {
  return text.split(/\n\s*\n|\n\s*(?=[-*] |\d+\. |@\w)/).flatMap((part) => {
    const sentences = []
    let rest = withoutCode(part)
    for (let match = SENTENCE.exec(rest); match !== null; match = SENTENCE.exec(rest)) {
      sentences.push(match[1])
      rest = rest.slice(match[1].length).trim()
    }
    return [...sentences, rest].filter((sentence) => sentence !== '')
  })
}

export function countWords(sentence) {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

function markOf(path) {
  if (/\.(ya?ml|sh|cfg)$|Dockerfile$|\.env\.example$|\.ci\/run$/.test(path)) return '#'
  if (path.endsWith('.prisma')) return '//'
  return path.endsWith('.sql') ? '--' : undefined
}

function textsOfCode(path, source) {
  const { program, comments } = parseSync(path, source)
  const strings = []
  const add = (node, value) => {
    if (/\p{L}\S* +\S*\p{L}/u.test(value))
      strings.push({ kind: 'string', start: node.start, end: node.end, text: value })
  }
  new Visitor({
    Literal: (node) => typeof node.value === 'string' && add(node, node.value),
    JSXText: (node) => add(node, node.value.trim()),
    TemplateElement: (node) => add(node, node.value.raw),
  }).visit(program)
  const lineOf = linesOf(source)
  return [...joinLines(comments, source), ...strings]
    .map((text) => ({ ...text, line: lineOf(text.start) }))
    .sort((one, other) => one.start - other.start)
}

/** Comments of several `//` lines are one text. */
function joinLines(comments, source) {
  const texts = []
  for (const { type, value, start, end } of comments) {
    const above = texts.at(-1)
    const belongs = type === 'Line' && above?.type === 'Line' && /^\s*\n[ \t]*$/.test(source.slice(above.end, start))
    if (belongs && startsLine(source, above.start)) {
      above.text += `\n${value.trim()}`
      above.end = end
    } else {
      const text = value.replace(/^[ \t]*\*+ ?/gm, '').trim()
      texts.push({ kind: 'comment', type, start, end, text })
    }
  }
  return texts
}

function startsLine(source, start) {
  return source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trim() === ''
}

function linesOf(source) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (start) => starts.filter((lineStart) => lineStart <= start).length
}

function textsOfPage(source) {
  const texts = []
  let isCode = false
  let paragraph
  source.split('\n').forEach((raw, index) => {
    const line = raw.trim()
    if (line.startsWith('```')) isCode = !isCode
    if (isCode || line.startsWith('```') || line === '' || /^(#|\||<!--|\[[^\]]+\]:)/.test(line)) paragraph = undefined
    if (isCode || line === '' || /^(```|<!--|\|[\s:|-]+\|$)/.test(line)) return
    if (line.startsWith('|')) {
      for (const text of line.slice(1, -1).split(/(?<!\\)\|/)) texts.push({ kind: 'cell', line: index + 1, text })
    } else if (paragraph === undefined || /^([-*+]|\d+\.|>|#+) /.test(line)) {
      const kind = line.startsWith('#') ? 'cell' : 'prose'
      paragraph = { kind, line: index + 1, text: line.replace(/^([-*+]|\d+\.|>|#+) /, '') }
      texts.push(paragraph)
      if (line.startsWith('#')) paragraph = undefined
    } else paragraph.text += ` ${line}`
  })
  return texts.map((text) => ({ ...text, text: text.text.replace(/\]\([^)]*\)/g, ']') }))
}

function commentLines(source, mark) {
  const texts = []
  source.split('\n').forEach((raw, index) => {
    const line = raw.trim()
    if (!line.startsWith(mark) || line.startsWith('#!')) return
    const text = line.slice(mark.length).replace(/^\/+/, '').trim()
    const above = texts.at(-1)
    if (above?.last === index) Object.assign(above, { text: `${above.text}\n${text}`, last: index + 1 })
    else texts.push({ kind: 'comment', line: index + 1, last: index + 1, text })
  })
  return texts
}
