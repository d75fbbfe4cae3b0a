import { expect } from 'chai'
import { accountPolicy } from '../../../cli/doctor/account-policy.ts'
import { policyAbout, someFacts } from './an-installation.ts'

const looked = async (broken: Parameters<typeof someFacts>[0]) => accountPolicy.look((await someFacts(broken)).facts)
const ACCOUNT = 'system:serviceaccount:platform:experiment-controller'
const AGAIN = 'Apply your overlay again: kubectl apply -k overlay'

describe('the check of the policy about the account', () => {
  it('is ok where it binds the account of the controller', async () => {
    expect(await looked({})).to.deep.equal({ result: 'ok', seen: `binds ${ACCOUNT}` })
  })

  it('is bad where it is missing, does not deny, or is about another account', async () => {
    expect(await looked({ without: ['ValidatingAdmissionPolicy'] })).to.deep.equal({
      result: 'bad',
      seen: 'there is no ValidatingAdmissionPolicy experiment-controller-account',
      remedy: AGAIN,
    })
    expect(await looked({ without: ['ValidatingAdmissionPolicyBinding'] })).to.deep.equal({
      result: 'bad',
      seen: 'no ValidatingAdmissionPolicyBinding experiment-controller-account denies',
      remedy: AGAIN,
    })
    expect(await looked({ objects: [policyAbout('elsewhere')] })).to.deep.equal({
      result: 'bad',
      seen: `is not about ${ACCOUNT}`,
      remedy: `Let matchConditions of the policy name ${ACCOUNT} in your overlay, if that is for another namespace. ${AGAIN}`,
    })
  })

  it('is not known to somebody who may not read it', async () => {
    expect(await looked({ unread: ['ValidatingAdmissionPolicyBinding'] })).to.include({ result: 'unknown' })
  })
})
