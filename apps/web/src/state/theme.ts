import { effect, signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const KEY = 'theme'
const system = matchMedia('(prefers-color-scheme: dark)')

/** The chosen theme; null follows the system. */
const chosen = signal<Theme | null>(readChoice())
const systemTheme = signal<Theme>(themeOf(system))

/** Applies the theme to the page, now and whenever it changes. */
export function startTheme(): void {
  system.addEventListener('change', () => {
    systemTheme.value = themeOf(system)
  })
  effect(() => {
    document.documentElement.dataset.theme = theme()
  })
}

export function theme(): Theme {
  return chosen.value ?? systemTheme.value
}

/** Changes to the other theme, and keeps it unless the system has the same one. */
export function toggleTheme(): void {
  const next = theme() === 'dark' ? 'light' : 'dark'
  chosen.value = next === systemTheme.value ? null : next
  try {
    if (chosen.value === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, chosen.value)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function readChoice(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : null
  } catch {
    return null
  }
}

function themeOf({ matches }: MediaQueryList): Theme {
  return matches ? 'dark' : 'light'
}
