/** The pages of `docs` with the sections to which alerts refer. */
const PAGES = {
  Install: 'install',
  'Who may call the webhook': 'secure',
  'Limit experiments': 'secure',
  'What the programs may do': 'secure',
  'Gate and cut-over': 'secure',
  Analyses: 'operate',
  'Replicas of the controller': 'operate',
  'Limits of size': 'operate',
  Upgrade: 'operate',
  'If the installation was removed first': 'operate',
  Troubleshooting: 'troubleshooting',
  'When the webhook is down': 'troubleshooting',
} as const

/** A section of a page for admins. */
export type Section = keyof typeof PAGES

/** The page that has a section: `docs/install.md`. */
export const pageOf = (section: Section): string => `docs/${PAGES[section]}.md`

/** Where more is said, as an alert says it: `docs/install.md, "Install"`. */
export const placeOf = (section: Section): string => `${pageOf(section)}, "${section}"`
