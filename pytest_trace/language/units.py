"""Units, scales, number words and months, in several languages, for `quantities`."""

from __future__ import annotations

from typing import Final

from pytest_trace.language.word_sets import word_set

_UNITS = """
time second second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo
time second secondi seconden सेकंड 秒 秒钟
time minute minute minutes min mins minuten minuto minutos minuti minuut मिनट 分钟 分鐘 分間
time hour hour hours hr hrs h stunde stunden heure heures hora horas ora ore uur uren घंटा घंटे
time hour घंटों 小时 小時 時間
time day day days tag tage tagen werktag werktage werktagen arbeitstag arbeitstage arbeitstagen
time day jour jours día días dia dias giorno giorni dag dagen werkdagen दिन दिनों 天 日間 日以内
time day 日内 日
time week week weeks wk wks woche wochen semaine semaines semana semanas settimana settimane
time week weken सप्ताह हफ्ते 周 週間 星期
month month month months monat monate monaten mois mes meses mês mese mesi maand maanden महीना
month month महीने महीनों 个月 個月 か月 ヶ月 カ月 ヵ月
month year year years yr yrs jahr jahre jahren ans année années año años ano anos anno anni jaar
month year jaren वर्ष वर्षों साल 年
length mm mm millimeter millimeters millimetre millimetres
length cm cm centimeter centimeters centimetre centimetres zentimeter
length m m meter meters metre metres mètre mètres metro metros metri
length km km kilometer kilometers kilometre kilometres kilomètres kilómetros chilometri quilômetros
length inch inch inches
length foot foot feet ft
length mile mile miles
mass mg mg milligram milligrams
mass g g gram grams gramm gramme grammes gramos grammi
mass kg kg kilogram kilograms kilogramm kilo kilos kilogramme kilogrammes
mass pound lb lbs
mass ounce oz ounce ounces
mass tonne tonne tonnes ton tons
volume ml ml milliliter milliliters millilitre millilitres
volume l l liter liters litre litres litros litri
data byte byte bytes
data kb kb kilobyte kilobytes
data mb mb megabyte megabytes
data gb gb gigabyte gigabytes
data tb tb terabyte terabytes
temperature °c °c celsius '° c' 'degrees celsius'
temperature °f °f fahrenheit '° f' 'degrees fahrenheit'
power W W watt watts
power kw kw kilowatt kilowatts
energy kwh kwh
energy mah mah
voltage V V volt volts
current A A amp amps ampere
frequency hz hz
frequency mhz mhz
frequency ghz ghz
speed mph mph
speed km/h km/h kmh
share % % percent percentage prozent percento procent 'per cent' 'pour cent' 'por ciento'
share % 'por cento' 'per cento' प्रतिशत パーセント 百分比
money USD $ us$ usd dollar dollars dólares dollari
money EUR € eur euro euros
money GBP £ gbp 'pounds sterling'
money JPY ¥ jpy yen 円 日元
money CNY cny rmb yuan 元 人民币
money INR ₹ inr rs rupee rupees रुपये रुपए
money CHF chf franken francs
money cent cents ct
"""
_FACTORS: Final = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
    "month": 1,
    "year": 12,
    "mm": 1,
    "cm": 10,
    "m": 1000,
    "km": 1000000,
    "mg": 1,
    "g": 1000,
    "kg": 1000000,
    "tonne": 1000000000,
    "ml": 1,
    "l": 1000,
    "W": 1,
    "kw": 1000,
    "hz": 1,
    "mhz": 1000000,
    "ghz": 1000000000,
}


def _read_units() -> tuple[dict[str, str], dict[str, tuple[str, int]]]:
    names: dict[str, str] = {}
    scales: dict[str, tuple[str, int]] = {}
    for line in _UNITS.strip().splitlines():
        dimension, unit, rest = line.split(" ", 2)
        quoted = rest.split("'")
        for spelling in (*quoted[1::2], *" ".join(quoted[::2]).split()):
            names[spelling] = unit
        same_scale = dimension if unit in _FACTORS else unit
        scales[unit] = (same_scale, _FACTORS.get(unit, 1))
    return names, scales


UNIT_NAMES, UNIT_SCALES = _read_units()
"""Spelling -> unit, and unit -> (what it measures, its size there): "7 days" is "1 week"."""

SCALES: Final[dict[str, int]] = {
    spelling: scale
    for scale, spellings in {
        10**2: "hundred hundreds hundert सौ",
        10**3: "thousand thousands k tausend mille mila mil duizend हज़ार हजार 千",
        10**4: "万 萬",
        10**5: "lakh lakhs लाख",
        10**6: "million millions mn mio millionen millón millones milione milioni milhão milhões "
        "miljoen",
        10**7: "crore crores करोड़",
        10**8: "亿 億",
        10**9: "billion billions bn milliard milliards milliarde milliarden mrd miliardi miljard",
        10**12: "trillion trillions 兆",
    }.items()
    for spelling in spellings.split()
}

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
_TEENS = "fifteen sixteen seventeen eighteen nineteen"
_OTHER_NUMBER_WORDS = """
2 zwei deux dos dois duas twee दो
3 drei trois tres três tre drie तीन
4 vier quatre cuatro quatro quattro चार
5 fünf cinq cinco cinque vijf पाँच पांच
6 sechs seis zes छह छः छै
7 sieben siete sette zeven सात
8 acht huit ocho otto oito आठ
9 neun nueve nove negen नौ
10 zehn dix diez dieci dez tien दस
11 elf onze undici elf ग्यारह
12 zwölf douze doce dodici twaalf बारह
13 dreizehn treize trece tredici treze dertien तेरह
14 vierzehn quatorze catorce quattordici catorze veertien चौदह
15 fünfzehn quinze quince quindici vijftien पंद्रह पन्द्रह
16 sechzehn dieciséis sedici dezesseis zestien सोलह
17 siebzehn diecisiete diciassette zeventien सत्रह
18 achtzehn dieciocho diciotto dezoito achttien अठारह
19 neunzehn diecinueve diciannove negentien उन्नीस
20 zwanzig vingt veinte venti vinte twintig बीस
25 fünfundzwanzig veinticinco venticinque पच्चीस
30 dreißig dreissig trente treinta trenta trinta dertig तीस
40 vierzig quarante cuarenta quaranta quarenta veertig चालीस
50 fünfzig cinquante cincuenta cinquanta cinquenta vijftig पचास
60 sechzig soixante sesenta sessanta sessenta zestig साठ
70 siebzig setenta settanta zeventig सत्तर
80 achtzig ochenta ottanta oitenta tachtig अस्सी
90 neunzig noventa novanta negentig नब्बे
"""
NUMBER_WORDS: Final[dict[str, int]] = (
    {word: value for value, word in enumerate((_ONES + _TEENS).split())}
    | {
        word: 10 * value
        for value, word in enumerate(
            ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
        )
    }
    | {
        word: int(line.split()[0])
        for line in _OTHER_NUMBER_WORDS.strip().splitlines()
        for word in line.split()[1:]
    }
)
ORDINAL_WORDS: Final[dict[str, int]] = {
    word: value
    for value, word in enumerate(
        [
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        start=4,
    )
}

_MONTHS = """
1 january jan januar janvier enero gennaio janeiro januari जनवरी
2 february feb februar février febrero febbraio fevereiro februari फरवरी
3 march mar märz mars marzo março maart मार्च
4 april apr avril abril aprile अप्रैल
5 may mai mayo maggio maio mei मई
6 june jun juni juin junio giugno junho जून
7 july jul juli juillet julio luglio julho जुलाई
8 august aug août agosto augustus अगस्त
9 september sep sept septembre septiembre settembre setembro सितंबर
10 october oct oktober okt octobre octubre ottobre outubro अक्टूबर
11 november nov novembre noviembre novembro नवंबर
12 december dec dezember dez décembre diciembre dicembre dezembro दिसंबर
"""
MONTHS: Final[dict[str, int]] = {
    name: int(line.split()[0]) for line in _MONTHS.strip().splitlines() for name in line.split()[1:]
}
CAPITALISED_MONTHS: Final = word_set("""
    january february march april may june july august september october november december
    januar februar märz mai juni juli oktober dezember
""")
"""Those that English and German write with a capital; Romance "Mars" and "Mayo" are names."""
