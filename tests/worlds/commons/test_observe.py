"""What the people of commons see and may do."""

from .lake import lake, put


def test_sanction_is_masked_below_its_cost():
    env = lake()
    step = put(env, wealth=0.3)
    deal = env.spec.roles["harvester"].action.mask_parts(step.mask)["deal"]
    assert deal[0, 0].tolist() == [True, True, False]
