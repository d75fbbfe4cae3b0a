import { choice, type Vars } from './env.ts'

/**
 * The optional components of the installation that are there. Each sets a variable of its own in both programs. @throws
 * Error that names the variable, its choices and its value
 */
export function installedComponents(vars: Vars) {
  const isEnabled = (name: string): boolean =>
    choice(vars, name, { choices: ['enabled', 'disabled'], fallback: 'disabled' }) === 'enabled'
  const components = {
    /** whether a promotion may write sources */
    isPromotionInstalled: isEnabled('PROMOTION'),
    /** whether the pods of a fork may be kept without requests until the controller opens them */
    isGateInstalled: isEnabled('GATE'),
    /** whether the selector of a Service may be changed */
    isCutOverInstalled: isEnabled('CUT_OVER'),
    /** whether a fork may be compared with its source */
    isAnalysisInstalled: isEnabled('ANALYSIS'),
  }
  // the fork must be without requests until the Service is switched to it
  if (components.isCutOverInstalled && !components.isGateInstalled)
    throw new Error('GATE must be enabled with CUT_OVER, found "disabled"')
  return components
}
