import { NETWORK } from '../../value-cases/pods.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on the network of a pod', () => testsOf(NETWORK))
