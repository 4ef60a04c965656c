"""8. Stay on your feet: a person reaches far forward without falling over."""

import limbik

human = limbik.figures.human()  # 73 kg, shared as in a published table of body segments
feet = ["LeftFoot", "RightFoot"]
pins = [limbik.Pin(foot, rotation=True) for foot in feet]
reach = limbik.Reach("LeftHand", position=[0.3, 0.9, 1.0])

# The centre of mass has to be above the soles, 2 cm inside their outline.
balance = limbik.Balance(feet, margin=0.02)

for name, goals in (("careless", [reach, *pins]), ("balanced", [reach, *pins, balance])):
    result = limbik.solve(human, goals)
    outside = 100 * balance.outside(human, result.q)
    where = f"{abs(outside):.1f} cm {'outside' if outside > 0 else 'inside'} the edge of the feet"
    print(f"{name}: {result.status}, the centre of mass is {where}")

# The whole body can be moved by its centre of mass, too: a squat.  The hips follow.
low = human.com(human.rest) - [0.0, 0.25, 0.0]
result = limbik.solve(human, [limbik.CenterOfMass(low), *pins, limbik.Rest(weight=1e-3)])
drop = human.com(human.rest)[1] - human.com(result.q)[1]
print(f"squat: {result.status}, {100 * drop:.1f} cm down")
