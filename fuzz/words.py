"""The words of every text format, for the fuzzer to put in."""

from __future__ import annotations

_XML = """<a> </a> <a/> <!-- --> <![CDATA[ ]]> <!DOCTYPE <!ENTITY <?xml ?> &lt; &amp; &#0; &#x41;
&a; xmlns="urn:a" xmlns:x="urn:x" = " ' / > encoding="utf-16" encoding="latin-1" name="a" name=""
"""
_URDF = """robot link joint parent child origin axis limit mimic type= xyz= rpy= lower= upper=
multiplier= offset= revolute continuous prismatic fixed floating planar xacro:macro <link name="n"/>
base upper lower rail shoulder elbow slide """
_MJCF = """mujoco compiler include file= default class= childclass= worldbody body frame joint
freejoint type= hinge slide ball free pos= quat= axisangle= euler= xyaxes= zaxis= range= limited=
ref= axis= equality joint1= joint2= polycoef= active= keyframe key qpos= angle= degree radian
eulerseq= autolimits= coordinate= replicate composite attach <body> </body> <joint/> <freejoint/>
beside.xml model= true false auto main """

_TEXTS = {
    "bvh": """HIERARCHY ROOT JOINT OFFSET CHANNELS MOTION Frames: Frame Time: Xposition Yposition
        Zposition Xrotation Yrotation Zrotation { } End Site 0 3 6 Hips_2 frames""",
    "asf": """:version :name :units :documentation :root :bonedata :hierarchy :skin mass length
        angle deg rad order TX TY TZ RX RY RZ axis XYZ ZYX XYX position orientation begin end id
        name direction dof tx ty tz rx ry rz l limits ( ) , # bodymass cofmass root thigh shin foot
        inf -inf""",
    "amc": ":DEGREES :RADIANS :FULLY-SPECIFIED # root thigh shin foot 1 2 3",
    "urdf": _XML + _URDF,
    "mjcf": _XML + _MJCF,
    "xml": _XML + _URDF + _MJCF,
    "csv": 'time frame , ; # nan fps 1,5 "',
    "json": """asset version nodes children translation rotation scale matrix name mesh skin skins
        joints skeleton inverseBindMatrices scenes scene meshes primitives attributes POSITION
        NORMAL TEXCOORD_0 JOINTS_0 WEIGHTS_0 JOINTS_1 WEIGHTS_1 indices material materials mode
        animations channels samplers sampler target node path input output interpolation accessors
        bufferView byteOffset byteLength byteStride componentType count type normalized sparse
        values buffers buffer uri extensions extensionsRequired extensionsUsed VRM VRMC_vrm
        VRMC_vrm_animation humanoid humanBones bone expressions preset lookAt images mimeType
        textures source pbrMetallicRoughness baseColorTexture baseColorFactor index weights min max
        KHR_draco_mesh_compression EXT_meshopt_compression KHR_mesh_quantization""",
}

SPACES = ["\r", "\n", "\r\n", "\t", "\v", "\0", "\ufeff", "\xa0", "\u2028"]

WORDS = {loader: text.split() + SPACES for loader, text in _TEXTS.items()}
JSON_KEYS = WORDS["json"]
