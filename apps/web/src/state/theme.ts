import { effect, signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const KEY = 'theme'
const system = matchMedia('(prefers-color-scheme: dark)')

/** Null follows the system. */
const chosen = signal<Theme | null>(readChoice())
const systemTheme = signal<Theme>(themeOf(system))

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

/** Switches the theme, and stores the choice unless it equals the system's theme. */
export function toggleTheme(): void {
  const next = theme() === 'dark' ? 'light' : 'dark'
  chosen.value = next === systemTheme.value ? null : next
  try {
    if (chosen.value === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, chosen.value)
  } catch {
    // Without storage, the choice lasts until the page is closed.
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
