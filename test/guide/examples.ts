import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'

interface Example {
  page: string
  language: string
  lines: string[]
}

const folder = 'docs/guide'

export function guideExamples(): Example[] {
  const pages = ['README.md', ...readdirSync(join(projectRoot(), folder)).map((file) => `${folder}/${file}`)]
  return pages.flatMap((page) => {
    const blocks = readFileSync(join(projectRoot(), page), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)
    return [...blocks].map(([, language = '', text = '']) => ({ page, language, lines: text.trimEnd().split('\n') }))
  })
}

/** Returns a command's examples, without prompts, comments and redirections. */
export function commandLines(command: 'curl' | 'npm' | 'docker' | 'cp'): (readonly [page: string, line: string])[] {
  const isCommand = new RegExp(`^(\\w+=\\S+ )*${command} `)
  return guideExamples().flatMap(({ page, lines }) =>
    lines
      .map((line) =>
        line
          .replace(/^\$ /, '')
          .replace(/\s+#.*$/, '')
          .replace(/ (\| tail|>) .*$/, ''),
      )
      .flatMap((line) => line.split(' && '))
      .filter((line) => isCommand.test(line))
      .map((line) => [page, line] as const),
  )
}
