import { expect } from 'chai'
import { readConfig } from '../../webhook/config.ts'

describe('readConfig of the webhook', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).to.include({ port: 9443, healthPort: 8080, logLevel: 'info', kubeconfig: undefined })
  })
  it('names variable, range and finding', () => {
    expect(() => readConfig({ PORT: 'https' })).to.throw('PORT must be a whole number from 0 to 65535, found "https"')
    expect(() => readConfig({ LOG_LEVEL: 'loud' })).to.throw(
      'LOG_LEVEL must be one of debug, info, warn, error, found "loud"',
    )
  })
})
