export interface Finding {
  /** `warn`: it works, but not as well as it could. */
  verdict: 'ok' | 'warn' | 'fail'
  about: string
  message: string
  advice?: string
}

/** Returns one line per finding, with what to change below it. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ about }) => about.length))
  return findings
    .map(({ verdict, about, message, advice }) => {
      const line = `${verdict.padEnd(4)}  ${about.padEnd(width)}  ${message}`
      return advice === undefined ? `${line}\n` : `${line}\n${' '.repeat(width + 8)}-> ${advice}\n`
    })
    .join('')
}
