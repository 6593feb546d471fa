const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu
const PLAIN = /^[^\s"=]+$/

export function logText(line: string): string {
  const { level, time, name, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const { message = null, stack = null } = typeof err === 'object' && err !== null ? (err as Partial<Error>) : {}
  const told = [msg, message ?? err].filter((part) => part !== undefined && part !== null && part !== '')
  const said = Object.entries(fields).map(([field, value]) => `${field}=${valueText(value)}`)
  const head = [timeText(time), String(level).padEnd(5), `${String(name)}:`, plain(told.join(': ')), ...said].join('  ')
  return `${head}\n${stack === null ? '' : `${plainLines(stack)}\n`}`
}

function timeText(time: unknown): string {
  return new Date(String(time)).toTimeString().slice(0, 8)
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && plain(value) === value) return value
  return plain(JSON.stringify(value) ?? String(value))
}

function plain(text: string): string {
  return text.replace(CONTROL, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function plainLines(stack: string): string {
  return stack
    .split('\n')
    .map((line) => `    ${plain(line.trim())}`)
    .join('\n')
}
