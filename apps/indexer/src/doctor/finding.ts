export interface Finding {
  /** `warn` means that it works, but not as well as it could. */
  verdict: 'ok' | 'warn' | 'fail'
  about: string
  message: string
  meaning?: string
  advice?: string
}

export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ about }) => about.length))
  const indent = ' '.repeat(width + 8)
  return findings
    .map(({ verdict, about, message, meaning, advice }) => {
      const lines = [`${verdict.padEnd(4)}  ${about.padEnd(width)}  ${message}`]
      if (meaning !== undefined) lines.push(`${indent}so ${meaning}`)
      if (advice !== undefined) lines.push(`${indent}-> ${advice}`)
      return `${lines.join('\n')}\n`
    })
    .join('')
}

export function summaryText(findings: readonly Finding[]): string {
  const [failed, warned] = (['fail', 'warn'] as const).map(
    (verdict) => findings.filter((finding) => finding.verdict === verdict).length,
  )
  if (failed === 0 && warned === 0) return 'nothing needs to be changed'
  return `${failed} must be fixed, ${warned} could be improved`
}
