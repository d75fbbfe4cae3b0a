import { choice, type Vars } from './env.ts'

/**
 * The optional components of the installation that are there. Each sets a variable of its own in both programs. @throws
 * Error that names the variable, its choices and its value
 */
export function installedComponents(vars: Vars) {
  const isEnabled = (name: string): boolean =>
    choice(vars, name, { choices: ['enabled', 'disabled'], fallback: 'disabled' }) === 'enabled'
  const components = {
    promotion: isEnabled('PROMOTION'),
    gate: isEnabled('GATE'),
    cutOver: isEnabled('CUT_OVER'),
    analysis: isEnabled('ANALYSIS'),
  }
  // the fork must be without requests until the Service is switched to it
  if (components.cutOver && !components.gate) throw new Error('GATE must be enabled with CUT_OVER, found "disabled"')
  return components
}
